#include "yona/serve/engine/model_pool.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "yona/io/json_file.h"
#include "yona/io/model_files.h"

#include "tests/serve/engine/waiting_job.h"

namespace yona {
namespace {

namespace fs = std::filesystem;
using serve::LoadedModel;
using serve::model_place;
using serve::ModelPool;
using testing::message_of;
using testing::shared_model;
using testing::TempDir;

void flip_bit(const fs::path& file) {
  std::string bytes = testing::read_bytes(file);
  bytes[bytes.size() / 2] ^= 1;
  testing::write_bytes(file, bytes);
}

TEST(ModelPlace, IsAFolderAndPerhapsItsLanguages) {
  EXPECT_EQ(model_place("some/dir").folder, "some/dir");
  const serve::ModelPlace place = model_place("eng_Latn-deu_Latn=some/dir");
  EXPECT_EQ(place.folder, "some/dir");
  EXPECT_EQ(place.source, "eng_Latn");
  EXPECT_EQ(place.target, "deu_Latn");
  for (const char* wrong : {"en=dir", "-de=dir", "en-=dir", "=dir"}) {
    EXPECT_NE(message_of<InvalidArgument>([&] { model_place(wrong); }).find("--model"),
              std::string::npos);
  }
}

TEST(ModelPool, KnowsItsModelsBeforeTheyAreLoaded) {
  const auto backend = make_backend("cpu");
  ModelPool pool({{shared_model().path()}}, {{backend.get()}}, {});
  const serve::ModelSummary summary = pool.summaries().front();
  EXPECT_EQ(summary.id, "en-de");
  EXPECT_EQ(summary.source, "en");
  EXPECT_EQ(summary.d_model, 32);
  EXPECT_FALSE(summary.loaded);
  pool.get("en-de");
  EXPECT_TRUE(pool.summaries().front().loaded);
  EXPECT_THROW(pool.get("xx"), serve::HttpError);
}

TEST(ModelPool, RefusesTwoModelsOfOneName) {
  const auto backend = make_backend("cpu");
  const std::string text = message_of<InvalidArgument>([&] {
    ModelPool pool({{shared_model().path()}, {shared_model().path()}}, {{backend.get()}}, {});
  });
  EXPECT_NE(text.find("are both named en-de"), std::string::npos);
  EXPECT_NO_THROW(ModelPool({{shared_model().path()}, {shared_model().path(), "en", "at"}},
                            {{backend.get()}}, {}));
}

TEST(ModelPool, LoadsAFolderAgainWhenItHasChanged) {
  TempDir folder;
  fs::copy(shared_model().path(), folder / "model");
  const auto backend = make_backend("cpu");
  ModelPool pool({{folder / "model"}}, {{backend.get()}}, {});
  const std::shared_ptr<LoadedModel> before = pool.get("en-de");
  EXPECT_EQ(pool.get("en-de"), before);
  const std::string config = testing::read_bytes(folder / "model" / "config.json");
  testing::write_bytes(folder / "model" / "config.json", config + "\n");
  pool.look_again();
  const std::shared_ptr<LoadedModel> after = pool.get("en-de");
  EXPECT_NE(after, before);
  EXPECT_EQ(before->translator({})->translate({"two"}), after->translator({})->translate({"two"}));
}

TEST(ModelPool, RenewsItsEstimatesWhenAFolderHasChanged) {
  TempDir folder;
  fs::copy(shared_model().path(), folder / "model");
  const auto backend = make_backend("cpu");
  const auto write_beam = [&](int beam) {
    testing::write_bytes(folder / "model" / "generation_config.json",
                         fmt::format(R"({{"num_beams": {}}})", beam));
  };
  write_beam(4);
  serve::ModelLoading loading;
  loading.search.beam_mode = "huggingface";
  ModelPool pool({{folder / "model"}}, {{backend.get()}}, loading);
  EXPECT_EQ(pool.estimate("en-de")->beams({}), 4);
  pool.get("en-de");
  write_beam(8);
  pool.look_again();
  EXPECT_EQ(pool.estimate("en-de")->beams({}), 4);  // until it is loaded again
  pool.get("en-de");
  EXPECT_EQ(pool.estimate("en-de")->beams({}), 8);
  EXPECT_THROW(pool.estimate("en-fr"), serve::HttpError);
}

TEST(ModelPool, GoesOnWithWhatItHasWhenAFolderIsBroken) {
  TempDir folder;
  fs::copy(shared_model().path(), folder / "model");
  const auto backend = make_backend("cpu");
  ModelPool pool({{folder / "model"}}, {{backend.get()}}, {});
  const std::shared_ptr<LoadedModel> before = pool.get("en-de");
  testing::write_bytes(folder / "model" / "config.json", "{");
  pool.look_again();
  EXPECT_EQ(pool.get("en-de"), before);
}

TEST(ModelPool, RefusesADamagedFolderAtTheStart) {
  TempDir folder;
  fs::copy(shared_model().path(), folder / "model");
  record_checksums(folder / "model");
  flip_bit(folder / "model" / "model.safetensors");
  const auto backend = make_backend("cpu");
  EXPECT_NE(message_of<FormatError>([&] {
              ModelPool pool({{folder / "model"}}, {{backend.get()}}, {});
            }).find("model.safetensors is damaged"),
            std::string::npos);
}

TEST(ModelPool, GoesOnWithWhatItHasWhenAFolderIsDamaged) {
  TempDir folder;
  fs::copy(shared_model().path(), folder / "model");
  record_checksums(folder / "model");
  const auto backend = make_backend("cpu");
  ModelPool pool({{folder / "model"}}, {{backend.get()}}, {});
  const std::shared_ptr<LoadedModel> before = pool.get("en-de");
  flip_bit(folder / "model" / "model.safetensors");
  pool.look_again();
  EXPECT_EQ(pool.get("en-de"), before);
  EXPECT_EQ(before->translator({})->translate({"two"}).size(), 1U);
}

// Unless it is told to look again, it waits for files to rest.
TEST(ModelPool, WaitsForFilesThatAreBeingWritten) {
  TempDir folder;
  fs::copy(shared_model().path(), folder / "model");
  const auto backend = make_backend("cpu");
  ModelPool pool({{folder / "model"}}, {{backend.get()}}, {});
  const std::shared_ptr<LoadedModel> before = pool.get("en-de");
  const fs::path settings = folder / "model" / "generation_config.json";
  const std::string text = testing::read_bytes(settings);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  testing::write_bytes(settings, text + " ");
  EXPECT_EQ(pool.get("en-de"), before);  // written just now
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  EXPECT_NE(pool.get("en-de"), before);
}

// A request for the languages that it was started with would find no model.
TEST(ModelPool, GoesOnWithWhatItHasWhenAFolderIsForOtherLanguages) {
  TempDir folder;
  fs::copy(shared_model().path(), folder / "model");
  const auto backend = make_backend("cpu");
  ModelPool pool({{folder / "model"}}, {{backend.get()}}, {});
  const std::shared_ptr<LoadedModel> before = pool.get("en-de");
  const fs::path path = folder / "model" / "config.json";
  Json config = read_json(path);
  config["yona"]["model"]["target_language"] = "fr";
  write_json(path, config);
  pool.look_again();
  EXPECT_EQ(pool.get("en-de"), before);
  EXPECT_EQ(pool.summaries().front().target, "de");
}

TEST(LoadedModel, KeepsATranslatorForEachChoice) {
  const auto backend = make_backend("cpu");
  LoadedModel model({shared_model().path()}, {{backend.get()}}, {});
  const std::shared_ptr<Translator> usual = model.translator({});
  EXPECT_EQ(model.translator({}), usual);
  EXPECT_EQ(model.translator({.beam = 2})->options().beam, 2);
  EXPECT_EQ(model.translator({.max_length = 7})->options().limit.extra, 7);
  for (std::int64_t beam = 1; beam <= 20; ++beam) {  // the oldest go
    EXPECT_EQ(model.translator({.beam = beam})->options().beam, beam);
  }
  EXPECT_THROW(model.translator({.beam = 1, .n_best = 2}), InvalidArgument);
}

}  // namespace
}  // namespace yona
