// Resuming a run with something else than it began with: every key of the configuration, the data,
// the sub-words, the version.

#include "yona/tasks/translation/record.h"

#include <fstream>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/checksums.h"
#include "yona/io/json_file.h"
#include "yona/tasks/task_kind.h"
#include "yona/tasks/translation/config_keys.h"

#include "tests/harness/other_value.h"
#include "tests/train/toy_run.h"

namespace yona {
namespace {

namespace fs = std::filesystem;

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::message_of;
using testing::read_bytes;

class Messages : public Reporter {
 public:
  void message(MessageLevel level, std::string_view text) override {
    if (level == MessageLevel::warning) {
      warnings.emplace_back(text);
    }
  }
  std::vector<std::string> warnings;
};

// A run that was stopped after 4 of 8 updates, and the same run without a stop.
class Resume : public testing::ToyRun {
 protected:
  Resume() : ToyRun(200, 20) {
    RunConfig config = base();
    train(config, {.output = folder_ / "straight"});
    config.train.updates = 4;
    train(config, {.output = folder_ / "stopped"});
    testing::write_bytes(folder_ / "base.yaml", to_yaml(base()));
  }

  RunConfig base() const {
    RunConfig config = ToyRun::config();
    config.train.updates = 8;
    config.train.accumulate = 1;
    config.train.save_every = 4;
    config.train.valid_every = 100;
    return config;
  }
  RunConfig with(const std::string& key, const std::string& value) const {
    return resolve_config(folder_ / "base.yaml", {{key, value, "--set " + key}});
  }

  // Resumes a copy of the run that was stopped.
  void resume(const RunConfig& config, bool allow = false) {
    fs::remove_all(folder_ / "run");
    fs::copy(folder_ / "stopped", folder_ / "run",
             fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    resume_run(config, allow);
  }
  void resume_run(const RunConfig& config, bool allow = false) {
    messages_.warnings.clear();
    train(config, {.output = folder_ / "run",
                   .resume = true,
                   .allow_changes = allow,
                   .init = {},
                   .reporter = &messages_});
  }
  std::string refusal(const RunConfig& config, bool allow = false) {
    return message_of<InvalidArgument>([&] { resume(config, allow); });
  }
  void expect_bytes_of_the_run_without_a_stop(const std::string& what) const {
    for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
      EXPECT_EQ(read_bytes(folder_ / "run/checkpoints/step-8" / file),
                read_bytes(folder_ / "straight/checkpoints/step-8" / file))
          << what << ": " << file;
    }
  }
  // Rewrites the state of the checkpoint of `run`, as another version might have left it.
  void edit_state(const std::function<void(Json&)>& edit) {
    fs::remove_all(folder_ / "run");
    fs::copy(folder_ / "stopped", folder_ / "run",
             fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    const fs::path checkpoint = folder_ / "run/checkpoints/step-4";
    Json state = read_json(checkpoint / "state.json");
    edit(state);
    testing::write_bytes(checkpoint / "state.json", state.dump());
    write_checksums(checkpoint);
  }

  // For keys a value that is not the run's. Those of the model are found by other_value(), unless
  // they must fit what else the run has.
  std::map<std::string, std::string> other_values() const {
    const auto copy = [&](const std::string& from, const std::string& to) {
      fs::copy_file(folder_ / from, folder_ / to, fs::copy_options::overwrite_existing);
      return (folder_ / to).string();
    };
    return {
        {"preset", "iwslt"},
        {"model.d_model", "64"},  // which its heads divide
        {"model.max_positions", "512"},
        {"data.train", fmt::format("[{{source: {}, target: {}}}]", copy("train.en", "moved.en"),
                                   copy("train.de", "moved.de"))},
        {"data.valid",
         fmt::format("[{{source: {0}, target: {0}}}]", (folder_ / "train.en").string())},
        {"data.source_language", "no"},
        {"data.target_language", "de"},
        {"data.subwords", "unigram"},
        {"data.vocabulary_size", "430"},
        {"data.shared_vocabulary", "false"},
        {"data.normalisation", "nmt_nfkc"},
        {"data.source_model", copy("stopped/source.spm", "moved.spm")},
        {"data.target_model", copy("stopped/target.spm", "moved-target.spm")},
        {"data.max_length", "100"},
        {"data.sampling", "0.1"},
        {"data.cache", folder_ / "cache"},
        {"train.time", "20m"},
        {"train.updates", "9"},
        {"train.epochs", "400"},
        {"train.batch_tokens", "200"},
        {"train.accumulate", "3"},
        {"train.seed", "42"},
        {"train.precision", "bf16"},
        {"train.schedule", "constant"},
        {"train.learning_rate", "0.3"},
        {"train.warmup", "100"},
        {"train.final_rate", "1e-07"},
        {"train.beta1", "0.8"},
        {"train.beta2", "0.999"},
        {"train.epsilon", "1e-08"},
        {"train.weight_decay", "0.01"},
        {"train.weight_decay_on", "all"},
        {"train.clip_norm", "1"},
        {"train.exchange", "bf16"},
        {"train.label_smoothing", "0"},
        {"train.rdrop", "5"},
        {"train.ema", "0.99"},
        {"train.freeze", "encoder.*"},
        {"train.on_nan", "skip"},
        {"train.save_every", "5"},
        {"train.valid_every", "3"},
        {"train.log_every", "7"},
        {"train.keep_last", "8"},
        {"train.keep_best", "9"},
        {"train.patience", "10"},
        {"train.valid_metrics", "bleu"},
        {"train.best_by", "chrf"},
        {"train.tensorboard", "true"},
        {"train.measure", "false"},
        {"train.recompute", "true"},
    };
  }

  Messages messages_;
};

TEST_F(Resume, EveryKeyIsRefusedOrAcceptedAsItSays) {
  const auto values = other_values();
  const bool has_bf16 = make_backend("cpu", {.threads = 1})->has_bf16();
  std::set<OnResume> seen;
  for (const ConfigKey<RunConfig>& key : translation_keys()) {
    const auto given = values.find(key.name);
    const bool is_found = given == values.end() && key.name.starts_with("model.");
    ASSERT_TRUE(given != values.end() || is_found) << key.name << ": add a value to the test";
    RunConfig config = with(key.name, is_found ? testing::other_value(key, base()) : given->second);
    if (key.name == "train.best_by") {
      config.train.valid_metrics = {"chrf"};
    }
    if (key.name == "model.window") {
      config.model.attention = AttentionKind::window;
    }
    if (key.name == "model.reversible") {
      config.model.norm = NormPosition::pre;
    }
    if (key.name == "train.precision" && !has_bf16) {
      continue;  // the run would be in f32 all the same
    }
    seen.insert(key.on_resume);
    const bool is_refused =
        (key.on_resume == OnResume::decides || key.on_resume == OnResume::fixed) &&
        key.name != "train.weight_decay_on";  // nothing decays in this run
    if (!is_refused) {
      ASSERT_NO_THROW(resume(config)) << key.name;
      EXPECT_THAT(messages_.warnings, IsEmpty()) << key.name;
      expect_bytes_of_the_run_without_a_stop(key.name);
      continue;
    }
    const std::string name = key.name == "model.layers" ? "model.encoder_layers" : key.name;
    const std::string change = fmt::format("{}: ", name);
    EXPECT_THAT(refusal(config), HasSubstr(change));
    if (key.on_resume == OnResume::fixed) {
      EXPECT_THAT(refusal(config, true), HasSubstr("begin a new run with --init")) << key.name;
    } else {
      ASSERT_NO_THROW(resume(config, true)) << key.name;
      EXPECT_THAT(messages_.warnings, Contains(HasSubstr("changed: " + change)));
      EXPECT_TRUE(fs::exists(folder_ / "run/checkpoints/step-8")) << key.name;
    }
  }
  EXPECT_EQ(seen.size(), 5U);
}

TEST_F(Resume, EveryDifferenceIsNamedWithWhatItWas) {
  RunConfig config = with("train.seed", "9");
  config.train.schedule.rate = 2;
  config.train.freeze = {"encoder.*"};
  const std::string message = refusal(config);
  EXPECT_THAT(message, HasSubstr("step-4: the run would not go on as it began: "));
  EXPECT_THAT(message, HasSubstr("train.seed: 1 → 9; "));
  EXPECT_THAT(message, HasSubstr("train.learning_rate: 1 → 2; "));
  EXPECT_THAT(message, HasSubstr("train.freeze: [] → [encoder.*]; "));
  EXPECT_THAT(message, HasSubstr("or add --allow-changes"));
}

TEST_F(Resume, TheNumberOfUpdatesDecidesWhereTheScheduleEndsThere) {
  RunConfig config = base();
  config.train.schedule = {
      .kind = ScheduleKind::cosine, .rate = 0.001, .warmup = 2, .final_rate = 0};
  fs::remove_all(folder_ / "stopped");
  const std::atomic<bool> stop{true};
  train(config, {.output = folder_ / "stopped", .stop = &stop});
  resume(config);
  config.train.updates = 9;
  EXPECT_THAT(refusal(config), HasSubstr("train.updates: 8 → 9;"));
  config.train.updates = 8;
  config.train.schedule.final_rate = 0.0001;
  EXPECT_THAT(refusal(config), HasSubstr("train.final_rate: 0 → 0.0001;"));
}

TEST_F(Resume, ChangedDataIsRefusedWhateverItsNumberOfLines) {
  const std::string german = read_bytes(folder_ / "train.de");
  std::string changed = german;
  changed[5] = changed[5] == 'x' ? 'y' : 'x';
  testing::write_bytes(folder_ / "train.de", changed);
  EXPECT_THAT(refusal(base()), HasSubstr((folder_ / "train.de").string() + ": changed; resume"));
  resume(base(), true);
  EXPECT_THAT(messages_.warnings, Contains(HasSubstr("train.de: changed")));
  const Json state = read_json(folder_ / "run/checkpoints/step-8/state.json");
  EXPECT_THAT(state.at("changes").dump(), HasSubstr("update 4: "));
  // What was allowed is the run's from then on.
  RunConfig more = base();
  more.train.updates = 9;
  resume_run(more);
  EXPECT_THAT(messages_.warnings, IsEmpty());
  // Written again with the same content, it is the same.
  testing::write_bytes(folder_ / "train.de", german);
  resume(base());
  expect_bytes_of_the_run_without_a_stop("data");
}

TEST_F(Resume, OtherFilesAreRefused) {
  RunConfig config = base();
  config.data.corpora[0].source_files = {folder_ / "valid.en"};
  config.data.corpora[0].target_files = {folder_ / "valid.de"};
  EXPECT_THAT(refusal(config), HasSubstr("corpus train: train.en → "));
  config.data.corpora.push_back(config.data.corpora[0]);
  config.data.corpora[1].name = "more";
  EXPECT_THAT(refusal(config), HasSubstr("data.train: 1 → 2 corpora"));
  config = base();
  config.data.corpora[0].weight = 2;
  EXPECT_THAT(refusal(config), HasSubstr("data.train[0].weight: 1 → 2"));
}

TEST_F(Resume, OtherOrMissingSubwordsAreRefused) {
  RunConfig config = with("data.source_model", folder_ / "other.spm");
  testing::write_bytes(folder_ / "other.spm", "x");
  EXPECT_THAT(refusal(config), HasSubstr("data.source_model: "));
  fs::rename(folder_ / "stopped/source.spm", folder_ / "kept.spm");
  EXPECT_THAT(
      message_of<FormatError>([&] { resume(base()); }),
      HasSubstr("the run's sub-words are not complete: source.spm is missing; put it back"));
  fs::rename(folder_ / "kept.spm", folder_ / "stopped/source.spm");
  fs::rename(folder_ / "stopped/vocab.json", folder_ / "kept.json");
  EXPECT_THAT(message_of<FormatError>([&] { resume(base()); }), HasSubstr("vocab.json is missing"));
}

TEST_F(Resume, ABatchThatIsAutomaticStaysWhatItWas) {
  resume(with("train.batch_tokens", "auto"));
  expect_bytes_of_the_run_without_a_stop("train.batch_tokens");
}

TEST_F(Resume, AnotherVersionOrMachineIsAWarning) {
  edit_state([](Json& state) {
    state["record"]["platform"] = {
        {"version", "0.0.1"}, {"device", "cpu"}, {"instruction_set", "none"}, {"onednn", "0.1"}};
  });
  resume_run(base());
  ASSERT_EQ(messages_.warnings.size(), 3U);
  EXPECT_THAT(messages_.warnings[0], HasSubstr("another version of yona than before, 0.0.1 → "));
  EXPECT_THAT(messages_.warnings[1], HasSubstr("another instruction set than before, none → "));
  edit_state([](Json& state) { state["record"]["platform"] = {{"device", "cuda"}}; });
  resume_run(base());
  EXPECT_THAT(messages_.warnings, Contains(HasSubstr("was on a GPU before and is on the CPU now")));
  expect_bytes_of_the_run_without_a_stop("platform");
}

TEST_F(Resume, ARunOfVersion01GoesOnWithOneWarning) {
  const auto as_0_1 = [](Json& state) {
    Json same{{"model", state["record"]["model"]},
              {"train.seed", 1},
              {"train.batch_tokens", 300},
              {"train.accumulate", 1},
              {"train.ema", 0.0},
              {"train.freeze", Json::array()},
              {"train.best_by", "loss"}};
    state.erase("record");
    state["version"] = 1;
    state["same"] = same;
  };
  edit_state(as_0_1);
  resume_run(base());
  ASSERT_EQ(messages_.warnings.size(), 1U);
  EXPECT_THAT(messages_.warnings[0], HasSubstr("the run was begun by yona 0.1"));
  expect_bytes_of_the_run_without_a_stop("0.1");
  edit_state(as_0_1);
  EXPECT_THAT(message_of<InvalidArgument>([&] { resume_run(with("train.seed", "2")); }),
              HasSubstr("train.seed: 1 → 2"));
}

TEST_F(Resume, ARunOfVersion01ThatDecaysIsResumedAgainAndAgain) {
  edit_state([](Json& state) {
    state.erase("record");
    state["version"] = 1;
    state["same"] = {{"train.seed", 1}};
  });
  RunConfig config = base();
  config.train.weight_decay = 0.01;
  for (const std::int64_t updates : {5, 6, 7}) {
    config.train.updates = updates;
    EXPECT_NO_THROW(resume_run(config));
    EXPECT_EQ(messages_.warnings.size(), updates == 5 ? 1U : 0U);
  }
  const Json state = read_json(folder_ / "run/checkpoints/step-7/state.json");
  EXPECT_EQ(state.at("record").at("settings").at("train.weight_decay_on"), "all");
}

TEST_F(Resume, TheFolderThatARunBeganWithMayBeNamedInAnyWay) {
  RunConfig config = base();
  config.train.updates = 2;
  fs::remove_all(folder_ / "run");
  train(config, {.output = folder_ / "run", .init = folder_ / "stopped"});
  for (const fs::path& name : {folder_ / "stopped/", folder_ / "./run/../stopped"}) {
    ++config.train.updates;
    EXPECT_NO_THROW(train(config, {.output = folder_ / "run", .resume = true, .init = name}));
  }
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                train(config,
                      {.output = folder_ / "run", .resume = true, .init = folder_ / "straight"});
              }),
              HasSubstr("--init: "));
}

TEST_F(Resume, WithLargerBatchesGoesOnWithTheNextEpochWhereThisOneIsTooShort) {
  fs::remove_all(folder_ / "stopped");
  RunConfig config = base();
  config.train.updates = 4;
  config.train.batch_tokens = 300;
  train(config, {.output = folder_ / "stopped"});
  config.train.updates = 6;
  config.train.batch_tokens = 3000;
  resume(config, true);
  EXPECT_THAT(messages_.warnings,
              Contains(HasSubstr("batches, and the run was at batch 4: it goes on with epoch 1")));
  EXPECT_TRUE(fs::exists(folder_ / "run/checkpoints/step-6"));
}

TEST(RunRecord, WhatIsNotARecordIsSaid) {
  EXPECT_THAT(message_of<FormatError>([] {
                records_that_differ(Json{{"settings", 3}}, Json::object(), {});
              }),
              HasSubstr("not the record of a run"));
}

TEST(RunRecord, ASettingThatAnOlderRecordLacksHadItsDefault) {
  RunConfig config;
  config.train.weight_decay = 0.1;
  Json then{{"settings", recorded_settings(config)},
            {"corpora", Json::array()},
            {"model", Json::object()},
            {"subwords", ""},
            {"init", ""}};
  then["settings"].erase("train.weight_decay_on");
  Json now = then;
  now["settings"] = recorded_settings(config);
  EXPECT_TRUE(records_that_differ(then, now, {}).empty());
  config.train.weight_decay_on = DecayOn::all;
  now["settings"] = recorded_settings(config);
  EXPECT_THAT(records_that_differ(then, now, {}).changes,
              ::testing::ElementsAre("train.weight_decay_on: matrices → all"));
  then["settings"]["train.weight_decay"] = now["settings"]["train.weight_decay"] = "0";
  EXPECT_TRUE(records_that_differ(then, now, {}).empty());
}

}  // namespace
}  // namespace yona
