// Runs that start from models of every family: they learn, their folders stay such folders, and
// they go on bit by bit; and what cannot be trained is refused in one line.

#include "yona/tasks/translation/run_model.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/decode/translator.h"
#include "yona/io/checksums.h"
#include "yona/io/int8_folder.h"
#include "yona/io/json_file.h"
#include "yona/io/model_folder.h"
#include "yona/io/safetensors.h"
#include "yona/io/trained_folder.h"
#include "yona/io/weight_copy.h"
#include "yona/tasks/average.h"

#include "tests/train/toy_run.h"

namespace yona {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::message_of;
using testing::read_bytes;

struct Heard {
  std::vector<double> losses;
  std::vector<ValidationReport> validations;
  std::vector<SamplesReport> samples;
};

struct Listener : Reporter {
  void updated(const UpdateReport& report) override { heard.losses.push_back(report.nll); }
  void validated(const ValidationReport& report) override { heard.validations.push_back(report); }
  void sampled(const SamplesReport& report) override { heard.samples.push_back(report); }
  Heard heard;
};

class FamilyRun : public testing::ToyRun {
 protected:
  static fs::path fixture(const std::string& name) {
    return fs::path(YONA_FIXTURES) / "families" / name;
  }
  RunConfig tuning() const {
    RunConfig tuning = config();
    tuning.model.dropout = 0.1;
    tuning.train.schedule = {.kind = ScheduleKind::constant, .rate = 3e-3, .warmup = 0};
    tuning.train.valid_metrics = {"bleu"};
    tuning.data.source_language = "en";
    tuning.data.target_language = "de";
    return tuning;
  }
  Heard tune(const RunConfig& config, const std::string& run, const fs::path& init,
             bool resume = false) {
    Listener listener;
    train(config, {.output = folder_ / run,
                   .resume = resume,
                   .init = init,
                   .threads = 1,
                   .reporter = &listener,
                   .samples = 1});
    return listener.heard;
  }
  // What the run from this folder is refused with.
  template <class Kind>
  std::string refusal(const RunConfig& config, const fs::path& init) {
    return message_of<Kind>([&] { tune(config, "refused", init); });
  }
};

class EachFamily : public FamilyRun, public ::testing::WithParamInterface<std::string> {};

TEST_P(EachFamily, IsTrainedOnAndStaysAFolderOfItsFamily) {
  const Heard heard = tune(tuning(), "run", fixture(GetParam()));
  ASSERT_EQ(heard.losses.size(), 12U);
  EXPECT_LT(heard.losses.back(), 0.9 * heard.losses.front());
  ASSERT_EQ(heard.validations.size(), 2U);
  EXPECT_LT(heard.validations[1].loss, heard.validations[0].loss);
  EXPECT_EQ(heard.validations[0].figures.at(0).name, "bleu");
  ASSERT_EQ(heard.samples.size(), 2U);
  EXPECT_EQ(heard.samples[0].samples.size(), 1U);

  Json before = read_json(fixture(GetParam()) / "config.json");
  Json after = read_json(folder_ / "run/config.json");
  EXPECT_EQ(after["dtype"], "float32");
  for (const char* key : {"dtype", "decoder_start_token_id"}) {
    before.erase(key);
    after.erase(key);
  }
  EXPECT_EQ(after, before);
  const auto backend = make_backend("cpu", {.threads = 1});
  const auto model = TranslationModel::load(folder_ / "run", *backend);
  EXPECT_EQ(model->info().family, before["model_type"].get<std::string>());
  const Manifest manifest = Manifest::find(folder_ / "run").value();
  EXPECT_FALSE(subword_files(folder_ / "run").empty());
  for (const std::string& name : subword_files(folder_ / "run")) {
    EXPECT_TRUE(manifest.lists(name)) << name;
  }
  EXPECT_FALSE(manifest.lists("tokenizer_config.json"));
  EXPECT_EQ(Translator({model.get()}, *backend).translate({"twenty-one", "half past"}).size(), 2U);
}

TEST_F(FamilyRun, IsResumedByTheConfigurationThatItLeaves) {
  RunConfig first = tuning();
  first.train.updates = 4;
  tune(first, "run", fixture("t5"));
  const RunConfig left = resolve_config(folder_ / "run/config.yaml", {});
  check_run_config(left);
  EXPECT_EQ(left.data.max_length, std::min<std::int64_t>(256, left.model.max_positions));
  EXPECT_EQ(left.model.positions, PositionKind::relative);
  RunConfig rest = left;
  rest.train.updates = 6;
  EXPECT_EQ(tune(rest, "run", {}, true).losses.size(), 2U);
}

TEST_P(EachFamily, GoesOnAsIfItHadNeverStopped) {
  tune(tuning(), "straight", fixture(GetParam()));
  RunConfig first = tuning();
  first.train.updates = 8;
  tune(first, "resumed", fixture(GetParam()));
  fs::remove_all(folder_ / "resumed/checkpoints/step-8");  // a kill would not have made it
  tune(tuning(), "resumed", {}, true);
  for (const char* file :
       {"model.safetensors", "config.json", "tokenizer_config.json",
        "checkpoints/step-12/model.safetensors", "checkpoints/step-12/optimizer.safetensors",
        "checkpoints/step-12/state.json", "checkpoints/step-12/config.json"}) {
    EXPECT_EQ(read_bytes(folder_ / "straight" / file), read_bytes(folder_ / "resumed" / file))
        << file;
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, EachFamily,
                         ::testing::Values("bart", "mbart", "mbart50", "m2m100", "nllb", "pegasus",
                                           "t5", "t5-gated"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// One matrix for the inputs of both stacks, as transformers 4 wrote untied models.
TEST_F(FamilyRun, WithOneUntiedInputMatrixGoesOn) {
  const fs::path init = folder_ / "untied";
  fs::create_directories(init);
  copy_tokenizer_files(fixture("bart"), init);
  Json config = read_json(fixture("bart") / "config.json");
  config["tie_word_embeddings"] = false;
  write_json(init / "config.json", config);
  const SafetensorsFile weights(fixture("bart") / "model.safetensors");
  std::vector<NamedArray> arrays(weights.arrays().begin(), weights.arrays().end());
  const NamedArray shared = weights.find("model.shared.weight").value();
  std::vector<float> values = floats_of(shared);
  values[0] += 1;
  arrays.push_back({"lm_head.weight", DType::f32, shared.shape, values.data()});
  write_safetensors(init / "model.safetensors", arrays);

  RunConfig first = tuning();
  first.train.updates = 8;
  tune(first, "run", init);
  EXPECT_EQ(read_model_info(folder_ / "run").config.tying, Tying::inputs);
  EXPECT_EQ(tune(tuning(), "run", {}, true).losses.size(), 4U);
}

TEST_F(FamilyRun, TranslatesUnaskedBetweenTheLanguagesItWasTrainedOn) {
  tune(tuning(), "run", fixture("nllb"));
  const Json tokenizer = read_json(folder_ / "run/tokenizer_config.json");
  EXPECT_EQ(tokenizer["src_lang"], "eng_Latn");
  EXPECT_EQ(tokenizer["tgt_lang"], "deu_Latn");
  const auto backend = make_backend("cpu", {.threads = 1});
  const auto model = TranslationModel::load(folder_ / "run", *backend);
  const std::int32_t german = *model->subwords().target.vocabulary().find("deu_Latn");
  EXPECT_EQ(model->frame().first, german);
  EXPECT_EQ(read_json(folder_ / "run/generation_config.json")["forced_bos_token_id"], german);
}

TEST_F(FamilyRun, OfMbartBeginsWithTheLanguageItWasTrainedOn) {
  tune(tuning(), "run", fixture("mbart"));
  const auto backend = make_backend("cpu", {.threads = 1});
  const auto model = TranslationModel::load(folder_ / "run", *backend);
  const std::int32_t german = *model->subwords().target.vocabulary().find("de_DE");
  EXPECT_EQ(model->frame().start, german);
  EXPECT_EQ(read_json(folder_ / "run/config.json")["decoder_start_token_id"], german);
  EXPECT_EQ(read_json(folder_ / "run/generation_config.json")["decoder_start_token_id"], german);
}

class Multilingual : public FamilyRun, public ::testing::WithParamInterface<std::string> {};

TEST_P(Multilingual, GoesOnWithAnotherLanguageWhereChangesAreAllowed) {
  RunConfig config = tuning();
  config.train.updates = 4;
  tune(config, "run", fixture(GetParam()));
  const std::string before = read_bytes(folder_ / "run/tokenizer_config.json");
  config.train.updates = 8;
  config.data.target_language = "fr";
  config.data.vocabulary_size = 99;  // which stays refused
  const TrainerOptions options{
      .output = folder_ / "run", .resume = true, .allow_changes = true, .threads = 1};
  EXPECT_THAT(message_of<InvalidArgument>([&] { train(config, options); }),
              HasSubstr("data.vocabulary_size"));
  EXPECT_EQ(read_bytes(folder_ / "run/tokenizer_config.json"), before);
  config.data.vocabulary_size = tuning().data.vocabulary_size;
  EXPECT_EQ(train(config, options).updates, 8);
  EXPECT_NE(read_bytes(folder_ / "run/tokenizer_config.json"), before);
  config.train.updates = 9;
  EXPECT_EQ(tune(config, "run", {}, true).losses.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, Multilingual, ::testing::Values("mbart50", "m2m100", "nllb"));

TEST_F(FamilyRun, LeavesWhatTransformersKeepsAsABuffer) {
  tune(tuning(), "run", fixture("bart"));
  const auto bias_of = [](const fs::path& folder) {
    const ModelFolder model(folder);
    return floats_of(model.find("projection.bias").value());
  };
  EXPECT_EQ(bias_of(folder_ / "run"), bias_of(fixture("bart")));
}

TEST_F(FamilyRun, FreezesParametersByName) {
  RunConfig frozen = tuning();
  frozen.train.freeze = {"encoder.*"};
  tune(frozen, "run", fixture("t5-gated"));
  const ModelFolder before(fixture("t5-gated"));
  const ModelFolder after(folder_ / "run");
  const auto values = [](const ModelFolder& folder, const char* name) {
    return floats_of(folder.find(name).value());
  };
  for (const char* name :
       {"encoder.layers.0.feed_forward.gate.weight", "encoder.relative_positions.weight"}) {
    EXPECT_EQ(values(after, name), values(before, name)) << name;
  }
  EXPECT_NE(values(after, "decoder.relative_positions.weight"),
            values(before, "decoder.relative_positions.weight"));
}

TEST_F(FamilyRun, AveragesItsCheckpointsToAFolderOfTheFamily) {
  tune(tuning(), "run", fixture("m2m100"));
  average_checkpoints(
      {.run = folder_ / "run", .output = folder_ / "mean", .last = 2, .checkpoints = {}});
  const auto backend = make_backend("cpu", {.threads = 1});
  const auto model = TranslationModel::load(folder_ / "mean", *backend);
  EXPECT_EQ(model->info().family, "m2m_100");
  EXPECT_EQ(read_bytes(folder_ / "mean/tokenizer_config.json"),
            read_bytes(folder_ / "run/tokenizer_config.json"));
}

TEST_F(FamilyRun, OnATunedFolderBeginsWhereThatEnded) {
  tune(tuning(), "first", fixture("pegasus"));
  RunConfig again = tuning();
  again.train.updates = 1;
  again.train.schedule.rate = 1e-12;
  tune(again, "second", folder_ / "first");
  const ModelFolder first(folder_ / "first");
  const ModelFolder second(folder_ / "second");
  EXPECT_EQ(floats_of(first.find("encoder.norm.weight").value()),
            floats_of(second.find("encoder.norm.weight").value()));
}

TEST_F(FamilyRun, WantsToKnowTheLanguagesOfAMultilingualModel) {
  RunConfig unsaid = tuning();
  unsaid.data.target_language.clear();
  EXPECT_EQ(refusal<InvalidArgument>(unsaid, fixture("mbart50")),
            "train: the mbart model has many languages; say which with --src-lang and --tgt-lang "
            "(ar_AR, cs_CZ, de_DE, en_XX …)");
  RunConfig unknown = tuning();
  unknown.data.target_language = "tlh";
  EXPECT_THAT(refusal<InvalidArgument>(unknown, fixture("nllb")),
              HasSubstr("--tgt-lang: the model has no language 'tlh'; it has ace_Arab"));
}

TEST_F(FamilyRun, RefusesTagsThatTheVocabularyLacks) {
  RunConfig tagged = tuning();
  tagged.data.corpora[0].source_tags = {"<BT>"};
  EXPECT_THAT(refusal<InvalidArgument>(tagged, fixture("t5")),
              HasSubstr("tag '<BT>' is not in the vocabulary of the model that --init names"));
}

TEST_F(FamilyRun, RefusesToSampleByteLevelSubWords) {
  RunConfig sampled = tuning();
  sampled.data.sampling = 0.1;
  EXPECT_THAT(refusal<NotImplemented>(sampled, fixture("bart")), HasSubstr("data.sampling"));
}

TEST_F(FamilyRun, RefusesAFolderWithoutATokeniser) {
  fs::copy(fixture("pegasus"), folder_ / "bare");
  fs::remove(folder_ / "bare/spiece.model");
  EXPECT_EQ(refusal<FormatError>(tuning(), folder_ / "bare"),
            (folder_ / "bare").string() +
                ": no sub-words: neither source.spm, sentencepiece.bpe.model, spiece.model, "
                "vocab.json with merges.txt, nor tokenizer.json");
}

TEST_F(FamilyRun, RefusesInt8Weights) {
  const auto backend = make_backend("cpu", {.threads = 1});
  write_int8_folder(fixture("bart"), folder_ / "int8", *backend);
  EXPECT_THAT(refusal<InvalidArgument>(tuning(), folder_ / "int8"),
              HasSubstr("its weights are int8, which cannot be trained"));
}

TEST_F(FamilyRun, OfMarianGoesOnWithoutBeingToldWhereItBegan) {
  tune(tuning(), "straight", fixture("marian"));
  RunConfig first = tuning();
  first.train.updates = 8;
  tune(first, "resumed", fixture("marian"));
  fs::remove_all(folder_ / "resumed/checkpoints/step-8");
  RunConfig rest = tuning();
  rest.model = read_model_info(folder_ / "resumed").config;  // as config.yaml has it
  rest.model.departures = {};
  tune(rest, "resumed", {}, true);
  EXPECT_EQ(read_bytes(folder_ / "straight/model.safetensors"),
            read_bytes(folder_ / "resumed/model.safetensors"));
}

TEST_F(FamilyRun, StoppedBeforeItsFirstCheckpointBeginsWithTheSameModelAgain) {
  tune(tuning(), "run", fixture("bart"));
  const std::string weights = read_bytes(folder_ / "run/model.safetensors");
  fs::remove_all(folder_ / "run/checkpoints");
  fs::remove(folder_ / "run/model.safetensors");
  tune(tuning(), "run", {}, true);
  EXPECT_EQ(read_bytes(folder_ / "run/model.safetensors"), weights);
}

}  // namespace
}  // namespace yona
