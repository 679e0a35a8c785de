#include "yona/io/int8_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/decode/translator.h"
#include "yona/io/causal_lm/language_model.h"
#include "yona/io/checksums.h"
#include "yona/io/int8_weights_file.h"
#include "yona/io/json_file.h"
#include "yona/io/model_memory.h"

#include "tests/harness/compare.h"
#include "tests/harness/file_size_limit.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/small_model.h"

namespace yona::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Int8Folder : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model_ = std::make_unique<SmallModel>(); }
  static void TearDownTestSuite() { model_.reset(); }

  static std::vector<std::string> translated(const std::filesystem::path& folder, Packing packing) {
    const auto model = TranslationModel::load(folder, shared_backend("cpu"), packing);
    Translator translator({model.get()}, shared_backend("cpu"), {.beam = 3});
    return translator.translate({model_->lines().begin(), model_->lines().begin() + 40});
  }

  inline static std::unique_ptr<SmallModel> model_;
  TempDir folder_;
};

TEST_F(Int8Folder, TranslatesAsItsOriginDoesInInt8) {
  const std::filesystem::path made = folder_ / "deep" / "int8";
  write_int8_folder(model_->path(), made, shared_backend("cpu"));
  EXPECT_EQ(translated(made, Packing::int8), translated(model_->path(), Packing::int8));
}

TEST_F(Int8Folder, AgreesWithF32OnNearlyAllLines) {
  const auto exact = translated(model_->path(), Packing::yes);
  const auto bytes = translated(model_->path(), Packing::int8);
  int equal = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    equal += exact[i] == bytes[i] ? 1 : 0;
  }
  EXPECT_GE(equal, 25) << "of " << exact.size();
}

TEST_F(Int8Folder, SaysWhatItIs) {
  const std::filesystem::path made = folder_ / "int8";
  write_int8_folder(model_->path(), made, shared_backend("cpu"));
  EXPECT_EQ(read_json(made / "config.json")["yona"]["weights"], "int8");
  EXPECT_EQ(read_model_info(made).config.d_model, 32);
  EXPECT_FALSE(std::filesystem::exists(made / "model.safetensors"));
  for (const Packing packing : {Packing::no, Packing::yes}) {
    EXPECT_EQ(message_of<FormatError>(
                  [&] { TranslationModel::load(made, shared_backend("cpu"), packing); }),
              made.string() +
                  ": its weights are int8 alone, made to decode on CPUs (--compute-type int8); use "
                  "the folder that `yona convert` made it from");
  }
}

TEST_F(Int8Folder, TakesTheMemoryOfItsFile) {
  const std::filesystem::path made = folder_ / "int8";
  write_int8_folder(model_->path(), made, shared_backend("cpu"));
  const TransformerConfig config = read_model_info(made).config;
  EXPECT_EQ(weight_memory(made, config, 1000, Packing::int8),
            static_cast<std::int64_t>(std::filesystem::file_size(made / kInt8File)));
  EXPECT_EQ(weight_memory(model_->path(), config, 1000, Packing::int8), 1000);
}

TEST_F(Int8Folder, IsMadeFromFoldersWithAConfigAlone) {
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                write_int8_folder(folder_.path(), folder_ / "int8", shared_backend("cpu"));
              }),
              HasSubstr("has no config.json; only folders with one convert"));
}

TEST_F(Int8Folder, SaysThatTheDiskIsFullWhileSmallFilesAreCopied) {
  const std::filesystem::path made = folder_ / "int8";
  const FileSizeLimit limit(4096);  // config.json fits, sub-words do not
  EXPECT_THAT(
      message_of<IoError>([&] { write_int8_folder(model_->path(), made, shared_backend("cpu")); }),
      AllOf(HasSubstr("cannot write"), HasSubstr("File too large")));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(Int8Folder, IsNotPutOverAnother) {
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                write_int8_folder(model_->path(), folder_.path(), shared_backend("cpu"));
              }),
              HasSubstr("already exists; name a new folder"));
}

// A folder with a fixture's shape, a vocabulary that a tokeniser fits, and random weights.
void write_random_language_model(const std::string& fixture, const std::filesystem::path& to) {
  const std::filesystem::path fixtures = YONA_FIXTURES;
  LmDescription description = read_lm_description(fixtures / "causal_lm" / fixture);
  description.config.vocabulary = 330;
  Json config = read_json(fixtures / "causal_lm" / fixture / "config.json");
  config["vocab_size"] = 330;
  CausalLm model(description.config);
  const Parameters parameters(model, shared_backend("cpu"), Gradients::no);
  std::vector<float> values(static_cast<std::size_t>(parameters.count()));
  std::uint32_t state = 1;
  for (float& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<float>(state >> 8U) / 16777216.0F - 0.5F;
  }
  parameters.weights().upload(values);
  std::filesystem::create_directories(to);
  for (const char* name : {"tokenizer.json", "tokenizer_config.json"}) {
    std::filesystem::copy_file(fixtures / "lm_tokenizers" / "gpt2" / name, to / name);
  }
  write_language_model(to, description, config, parameters, parameters.weights());
}

std::vector<double> next_logits(const std::filesystem::path& folder) {
  Backend& backend = shared_backend("cpu");
  const auto model = LanguageModel::load(folder, backend, Packing::int8);
  Region region(backend);
  Context c{.region = region};
  const std::vector<std::int64_t> offsets{0, 4};
  const Tokens tokens{ids_of({7, 250, 3, 329}, region), make_layout(offsets, {}, region)};
  return values_of(model->model().logits(model->model().decode(tokens, {}, c).values, c));
}

TEST(Int8FolderOfLanguageModels, PredictsAsItsOriginDoesInInt8) {
  for (const std::string family : {"gpt2", "llama3", "mistral", "qwen2", "qwen3"}) {
    SCOPED_TRACE(family);
    const TempDir dir;
    write_random_language_model(family, dir / "f32");
    write_bytes(dir / "f32" / "chat_template.jinja", "{{ messages }}");
    write_int8_folder(dir / "f32", dir / "int8", shared_backend("cpu"));
    EXPECT_EQ(read_json(dir / "int8" / "config.json")["yona"]["weights"], "int8");
    EXPECT_EQ(next_logits(dir / "int8"), next_logits(dir / "f32"));
    EXPECT_EQ(read_lm_description(dir / "int8").config, read_lm_description(dir / "f32").config);
    EXPECT_TRUE(std::filesystem::exists(dir / "int8" / "chat_template.jinja"));
    verify_folder(dir / "int8");
    EXPECT_THAT(message_of<FormatError>([&] {
                  LanguageModel::load(dir / "int8", shared_backend("cpu"), Packing::yes);
                }),
                HasSubstr("its weights are int8 alone"));
  }
}

}  // namespace
}  // namespace yona::testing
