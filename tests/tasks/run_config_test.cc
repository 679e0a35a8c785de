#include "yona/tasks/run_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/tasks/config_sources.h"

namespace yona {
namespace {

using testing::from_yaml;
using ::testing::HasSubstr;
using testing::message_of;
using testing::set;
using testing::set_error;
using testing::TempDir;
using testing::write_bytes;
using testing::yaml_error;

TEST(RunConfig, TakesThePresetFirstThenFileThenAssignments) {
  const std::string file =
      "model:\n  dropout: 0.2\n  d_ff: 300\ntrain:\n  updates: 5\npreset: tiny\n";
  const RunConfig config =
      from_yaml(file, {set("model.d_ff", "400"), {"train.updates", "6", "--updates"}});
  EXPECT_EQ(config.preset, "tiny");
  EXPECT_EQ(config.model.d_model, 128);  // the preset
  EXPECT_EQ(config.model.dropout, 0.2);  // the file, though the preset stands below it
  EXPECT_EQ(config.model.d_ff, 400);     // --set
  EXPECT_EQ(config.train.updates, 6);    // a flag
  const RunConfig other = from_yaml(file, {set("model.heads", "2"), {"preset", "big", "--preset"}});
  EXPECT_EQ(other.model.d_model, 1024);
  EXPECT_EQ(other.model.dropout, 0.2);
  EXPECT_EQ(other.model.heads, 2);
}

TEST(RunConfig, IsThePapersBaseWhenNothingIsSaid) {
  const RunConfig config = resolve_config("", {});
  EXPECT_EQ(config.preset, "base");
  EXPECT_EQ(config.model.d_model, 512);
  EXPECT_EQ(config.train.beta2, 0.98);
  EXPECT_EQ(config.train.epsilon, 1e-9);
}

TEST(RunConfig, TakesLayersForBothStacksBeforeEitherAlone) {
  const RunConfig config = from_yaml("model: {decoder_layers: 2, layers: 5}");
  EXPECT_EQ(config.model.encoder_layers, 5);
  EXPECT_EQ(config.model.decoder_layers, 2);
  EXPECT_THAT(to_yaml(config), ::testing::Not(HasSubstr("\n  layers:")));
}

TEST(RunConfig, TakesDottedNamesInTheFile) {
  const RunConfig config = from_yaml("train.updates: 5\ntrain:\n  warmup: 2\n");
  EXPECT_EQ(config.train.updates, 5);
  EXPECT_EQ(config.train.schedule.warmup, 2);
  EXPECT_EQ(yaml_error("train.updates: 5\ntrain:\n  updates: 6\n"),
            "c.yaml:3: train.updates is repeated; it is on line 1 already");
}

TEST(RunConfig, ReadsCorporaWithEverythingTheyHave) {
  const RunConfig config = from_yaml(
      "data:\n"
      "  train:\n"
      "    - source: [/a.en, /b.en]\n"
      "      target: [/a.de, /b.de]\n"
      "    - name: back\n"
      "      weight: 0.5\n"
      "      tsv: /c.tsv.gz\n"
      "      columns: {source: 2, target: 1, weight: 3, document: 4}\n"
      "      source_tags: [<BT>, \">>de<<\"]\n"
      "    - {source: /d.en, target: /d.de}\n"
      "  valid:\n"
      "    - {source: /v.en, target: /v.de}\n"
      "    - {source: /w.en, target: /w.de}\n");
  ASSERT_EQ(config.data.corpora.size(), 3U);
  const CorpusSpec& first = config.data.corpora[0];
  EXPECT_EQ(first.name, "train");
  EXPECT_EQ(first.source_files, (std::vector<std::filesystem::path>{"/a.en", "/b.en"}));
  const CorpusSpec& back = config.data.corpora[1];
  EXPECT_EQ(back.name, "back");
  EXPECT_EQ(back.weight, 0.5);
  EXPECT_EQ(back.tsv_files, (std::vector<std::filesystem::path>{"/c.tsv.gz"}));
  EXPECT_EQ(back.columns.source, 2);
  EXPECT_EQ(back.columns.target, 1);
  EXPECT_EQ(back.columns.weight, 3);
  EXPECT_EQ(back.columns.document, 4);
  EXPECT_EQ(back.source_tags, (std::vector<std::string>{"<BT>", ">>de<<"}));
  EXPECT_EQ(config.data.corpora[2].name, "train-3");
  EXPECT_EQ(config.data.valid[1].name, "valid-2");
  const std::string yaml = to_yaml(config);
  EXPECT_EQ(to_yaml(from_yaml(yaml)), yaml);
  EXPECT_THAT(yaml, HasSubstr("columns:\n        source: 2\n"));
}

TEST(RunConfig, StartsRelativePathsOfAFileAtItsFolder) {
  const TempDir folder;
  std::filesystem::create_directory(folder / "configs");
  write_bytes(folder / "configs/c.yaml",
              "data:\n  cache: cache\n  train: [{source: ../a.en, target: ./a.de}]\n"
              "  source_model: \"\"\n");
  const RunConfig config =
      resolve_config(folder / "configs/c.yaml", {set("data.target_model", "here.spm")});
  EXPECT_EQ(config.data.cache, folder / "configs/cache");
  EXPECT_EQ(config.data.corpora[0].source_files[0], folder / "a.en");
  EXPECT_EQ(config.data.corpora[0].target_files[0], folder / "configs/a.de");
  EXPECT_EQ(config.data.source_model, "");
  EXPECT_EQ(config.data.target_model, "here.spm");
  EXPECT_EQ(with_absolute_paths(config).data.target_model,
            std::filesystem::current_path() / "here.spm");
  EXPECT_EQ(with_absolute_paths(config).data.source_model, "");
}

TEST(RunConfig, WritesNumbersInTheirShortestExactForm) {
  RunConfig config = resolve_config("", {});
  config.train.epsilon = 1e-9;
  config.train.beta2 = 0.98;
  config.train.clip_norm = 1.0 / 3.0;
  config.train.rdrop = 5e-324;
  config.train.weight_decay = 1.7976931348623157e308;
  const std::string yaml = to_yaml(config);
  EXPECT_THAT(yaml, HasSubstr("beta2: 0.98\n"));
  const RunConfig read = from_yaml(yaml);
  EXPECT_EQ(read.train.epsilon, config.train.epsilon);
  EXPECT_EQ(read.train.clip_norm, config.train.clip_norm);
  EXPECT_EQ(read.train.rdrop, config.train.rdrop);
  EXPECT_EQ(read.train.weight_decay, config.train.weight_decay);
}

TEST(RunConfig, GuideCanBeReadAndFollowsThePresetWhenItIsChanged) {
  const std::string guide = to_yaml(resolve_config("", {set("model.d_ff", "9")}), YamlStyle::guide);
  EXPECT_EQ(from_yaml(guide).model.d_ff, 9);
  EXPECT_THAT(guide, HasSubstr("  # d_model: 512\n"));
  EXPECT_THAT(guide, HasSubstr("  # seed of everything random (a whole number of at least 0)\n"
                               "  seed: 1\n"));
  EXPECT_THAT(guide, HasSubstr("\n  # updates: 100000\n"));  // which may be planned
  EXPECT_EQ(from_yaml(guide, {set("preset", "big")}).model.d_model, 1024);
}

TEST(RunConfigErrors, SuggestTheNearestKey) {
  EXPECT_EQ(yaml_error("preset: tiny\ntrain:\n  udpates: 5\n"),
            "c.yaml:3: unknown key 'train.udpates'; did you mean train.updates?");
  EXPECT_EQ(yaml_error("modle:\n  d_ff: 5\n"),
            "c.yaml:1: unknown key 'modle'; did you mean model?");
  EXPECT_EQ(yaml_error("warmup: 5\n"),
            "c.yaml:1: unknown key 'warmup'; did you mean train.warmup?");
  EXPECT_EQ(yaml_error("data:\n  train:\n    - sources: a\n"),
            "c.yaml:3: unknown key 'data.train[0].sources'; did you mean data.train[0].source?");
  EXPECT_EQ(yaml_error("data: {train: [{columns: {source: 1, wieght: 2}}]}"),
            "c.yaml:1: unknown key 'data.train[0].columns.wieght'; did you mean "
            "data.train[0].columns.weight?");
  EXPECT_EQ(yaml_error("banana: 5\n"),
            "c.yaml:1: unknown key 'banana'; `yona config --keys` lists them all");
  EXPECT_EQ(set_error("model.dropuot", "0.1"),
            "--set: unknown key 'model.dropuot'; did you mean model.dropout?");
  EXPECT_EQ(set_error("data.train[0].name", "x"),
            "--set: unknown key 'data.train[0].name'; `yona config --keys` lists them all");
}

TEST(RunConfigErrors, NameKeyValueAndWhatWasExpected) {
  EXPECT_EQ(set_error("train.updates", "many"),
            "--set train.updates: expected a whole number of at least 1, got 'many'");
  EXPECT_EQ(set_error("train.updates", "0"),
            "--set train.updates: expected a whole number of at least 1, got '0'");
  EXPECT_EQ(
      set_error("train.updates", "99999999999999999999"),
      "--set train.updates: expected a whole number of at least 1, got '99999999999999999999'");
  EXPECT_EQ(set_error("train.updates", "1.5"),
            "--set train.updates: expected a whole number of at least 1, got '1.5'");
  EXPECT_EQ(set_error("model.layers", "1001"),
            "--set model.layers: expected a whole number from 1 to 1000, got '1001'");
  EXPECT_EQ(
      set_error("train.batch_tokens", "-1"),
      "--set train.batch_tokens: expected a whole number from 1 to 1073741824, or auto, got '-1'");
  EXPECT_EQ(set_error("model.dropout", "1"),
            "--set model.dropout: expected a number from 0 to 1, 1 excluded, got '1'");
  EXPECT_EQ(set_error("model.dropout", "nan"),
            "--set model.dropout: expected a number from 0 to 1, 1 excluded, got 'nan'");
  EXPECT_EQ(set_error("train.learning_rate", "inf"),
            "--set train.learning_rate: expected a number above 0, got 'inf'");
  EXPECT_EQ(set_error("train.schedule", "cosin"),
            "--set train.schedule: expected paper, inverse_sqrt, cosine, linear or constant (did "
            "you mean cosine?), got 'cosin'");
  EXPECT_EQ(set_error("train.tensorboard", "yes"),
            "--set train.tensorboard: expected true or false, got 'yes'");
  EXPECT_EQ(set_error("preset", "huge"),
            "--set preset: expected tiny, iwslt, base or big, got 'huge'");
  EXPECT_EQ(yaml_error("train:\n  updates:\n"),
            "c.yaml:2: train.updates: expected a whole number of at least 1, got no value");
  EXPECT_EQ(yaml_error("train:\n  updates: [1]\n"),
            "c.yaml:2: train.updates: expected a whole number of at least 1, got a list");
  EXPECT_EQ(yaml_error("train: 5\n"),
            "c.yaml:1: train: expected a section with keys, such as train.time, got '5'");
  EXPECT_EQ(yaml_error("data:\n  train:\n    - name: x\n      weight: -1\n"),
            "c.yaml:4: data.train[0].weight: expected a number above 0, got '-1'");
  EXPECT_EQ(yaml_error("data:\n  valid:\n    - v.en\n"),
            "c.yaml:3: data.valid[0]: expected keys and values, such as `name: …`, got 'v.en'");
}

TEST(RunConfigErrors, CoverFilesThatAreNoConfiguration) {
  const TempDir folder;
  EXPECT_EQ(yaml_error(""), "c.yaml: is empty; `yona config` prints one to start from");
  EXPECT_EQ(
      yaml_error("just text"),
      "c.yaml:1: configuration: expected keys and values, such as `task: …`, got 'just text'");
  EXPECT_EQ(yaml_error("- a\n- b\n"),
            "c.yaml:1: configuration: expected keys and values, such as `task: …`, got a list");
  EXPECT_THAT(message_of<InvalidArgument>([&] { resolve_config(folder / "none.yaml", {}); }),
              HasSubstr("none.yaml: no such file"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { resolve_config(folder.path(), {}); }),
              HasSubstr("is a folder"));
  EXPECT_THAT(message_of<FormatError>([&] { resolve_config("", {set("data.train", "[a, 'b")}); }),
              HasSubstr("--set data.train:1: not valid YAML"));
}

class CheckRunConfig : public ::testing::Test {
 protected:
  CheckRunConfig() {
    for (const char* name : {"a.en", "a.de"}) {
      write_bytes(folder_ / name, "x\n");
    }
    CorpusSpec corpus;
    corpus.source_files = {folder_ / "a.en"};
    corpus.target_files = {folder_ / "a.de"};
    config_.data.corpora = {corpus};
    config_.data.valid = {{"valid", folder_ / "a.en", folder_ / "a.de"}};
    config_.given.reset();  // every value counts as given
  }
  std::string error() const {
    return message_of<InvalidArgument>([&] { check_run_config(config_); });
  }

  TempDir folder_;
  RunConfig config_ = resolve_config("", {});
};

TEST_F(CheckRunConfig, AcceptsAnOrdinaryOne) { EXPECT_EQ(error(), ""); }

TEST_F(CheckRunConfig, WantsSomethingToTrainOn) {
  config_.data.corpora.clear();
  EXPECT_THAT(error(), HasSubstr("there is nothing to train on; give --train-src and --train-tgt"));
}

TEST_F(CheckRunConfig, WantsFilesThatExist) {
  config_.data.corpora[0].target_files = {folder_ / "b.de"};
  EXPECT_THAT(error(), HasSubstr("b.de: no such file"));
  config_.data.corpora[0].target_files = {folder_.path()};
  EXPECT_THAT(error(), HasSubstr("is a folder, not a file"));
}

TEST_F(CheckRunConfig, WantsNamesThatDiffer) {
  config_.data.corpora.push_back(config_.data.corpora[0]);
  EXPECT_EQ(error(), "data.train: two corpora are called 'train'");
  config_.data.corpora.pop_back();
  config_.data.valid.push_back(config_.data.valid[0]);
  EXPECT_EQ(error(), "data.valid: two sets are called 'valid'");
}

TEST_F(CheckRunConfig, WantsBothSidesOfAValidationSet) {
  config_.data.valid[0].target = "";
  EXPECT_EQ(error(), "data.valid: set 'valid' needs both a source and a target file");
}

TEST_F(CheckRunConfig, WarnsOfARateThatIsAFactor) {
  EXPECT_TRUE(config_warnings(config_).empty());
  config_.train.schedule.rate = 5e-4;
  ASSERT_EQ(config_warnings(config_).size(), 1U);
  EXPECT_THAT(config_warnings(config_)[0],
              HasSubstr("train.learning_rate 0.0005 is a factor on the paper's schedule"));
  config_.train.schedule.kind = ScheduleKind::inverse_sqrt;
  EXPECT_TRUE(config_warnings(config_).empty());
}

TEST_F(CheckRunConfig, RefusesKeysThatDoNotGoTogether) {
  RunConfig good = config_;
  config_.model.heads = 7;
  EXPECT_THAT(error(), HasSubstr("model.heads: 7 heads do not divide model.d_model 512"));
  config_ = good;
  config_.data.max_length = 2000;
  EXPECT_EQ(error(), "data.max_length: 2000 is more than model.max_positions 1024");
  config_ = good;
  config_.train.schedule.kind = ScheduleKind::linear;
  config_.train.updates = 100;
  EXPECT_EQ(error(), "train.warmup: 4000 updates leave nothing of train.updates 100");
  config_ = good;
  config_.train.schedule = {ScheduleKind::cosine, 0.001, 10, 0.01};
  EXPECT_EQ(error(), "train.final_rate: 0.01 is above train.learning_rate 0.001");
  config_ = good;
  config_.train.schedule.warmup = 0;
  EXPECT_EQ(error(), "train.warmup: the paper's schedule needs at least 1");
  config_ = good;
  config_.train.patience = 3;
  config_.data.valid.clear();
  EXPECT_THAT(error(), HasSubstr("train.patience: stopping early needs a validation set"));
  config_ = good;
  config_.data.target_model = folder_ / "a.de";
  EXPECT_EQ(error(), "data.target_model: is given without data.source_model");
}

TEST_F(CheckRunConfig, AWarmUpThatMayBePlannedIsNotCheckedYet) {
  config_.train.schedule.kind = ScheduleKind::linear;
  config_.train.updates = 100;
  config_.given = std::set<std::string>{"train.schedule", "train.updates"};
  EXPECT_EQ(error(), "");
  config_.given->insert("train.warmup");
  EXPECT_EQ(error(), "train.warmup: 4000 updates leave nothing of train.updates 100");
}

TEST(RunConfig, ValidationSetsHaveTagsOrLeaveThemToTheTrainingSet) {
  const RunConfig config = from_yaml(
      "data:\n  valid:\n    - {source: /a, target: /b}\n"
      "    - {source: /a, target: /b, source_tags: [\">>de<<\", <x>], target_tags: []}\n"
      "    - {source: /a, target: /b, source_tags: \">>fr<<\", target_tags: auto}\n");
  using Tags = std::vector<std::string>;
  EXPECT_FALSE(config.data.valid[0].source_tags.has_value());
  EXPECT_EQ(config.data.valid[1].source_tags, (Tags{">>de<<", "<x>"}));
  EXPECT_EQ(config.data.valid[1].target_tags, Tags());
  EXPECT_EQ(config.data.valid[2].source_tags, Tags{">>fr<<"});
  EXPECT_FALSE(config.data.valid[2].target_tags.has_value());
  const RunConfig again = from_yaml(to_yaml(config));
  EXPECT_EQ(again.data.valid[1].source_tags, config.data.valid[1].source_tags);
  EXPECT_EQ(again.data.valid[1].target_tags, config.data.valid[1].target_tags);
  EXPECT_EQ(to_yaml(again), to_yaml(config));
  EXPECT_THAT(yaml_error("data:\n  valid:\n    - {source: /a, target: /b, source_tags: {x: 1}}\n"),
              HasSubstr("data.valid[0].source_tags"));
}

}  // namespace
}  // namespace yona
