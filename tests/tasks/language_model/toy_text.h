// A small text and a run of a language model that takes a moment.
#pragma once

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "yona/base/random.h"
#include "yona/tasks/task_kind.h"
#include "yona/tasks/train.h"

#include "tests/harness/run_files.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {

// Keeps what a run reports.
class KeptReports : public Reporter {
 public:
  void validated(const ValidationReport& report) override { validations.push_back(report); }
  void sampled(const SamplesReport& report) override { samples = report.samples; }
  void message(MessageLevel /*level*/, std::string_view text) override {
    messages += std::string(text) + "\n";
  }
  std::vector<ValidationReport> validations;
  std::vector<OutputSample> samples;
  std::string messages;
};

class ToyText : public ::testing::Test {
 protected:
  ToyText() {
    RandomSequence random(7);
    write_bytes(folder_ / "train.txt", lines(random, 120));
    write_bytes(folder_ / "valid.txt", lines(random, 12));
  }

  static std::string lines(RandomSequence& random, int count) {
    constexpr std::array<const char*, 5> kNouns{"cat", "dog", "tree", "house", "farmer"};
    constexpr std::array<const char*, 4> kVerbs{"sees", "likes", "hears", "finds"};
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += std::string("the ") + kNouns[random.below(5)] + " " + kVerbs[random.below(4)] +
              " the " + kNouns[random.below(5)] + "\n";
    }
    return text;
  }

  RunConfig config(const std::vector<ConfigAssignment>& more = {}) const {
    std::vector<ConfigAssignment> settings{{"task", "language-model", ""},
                                           {"preset", "char-small", ""},
                                           {"data.train", folder_ / "train.txt", ""},
                                           {"data.valid", folder_ / "valid.txt", ""},
                                           {"model.layers", "1", ""},
                                           {"model.d_model", "16", ""},
                                           {"model.d_ff", "32", ""},
                                           {"model.heads", "2", ""},
                                           {"model.max_positions", "32", ""},
                                           {"model.dropout", "0.1", ""},
                                           {"train.batch_tokens", "128", ""},
                                           {"train.updates", "12", ""},
                                           {"train.warmup", "1", ""},
                                           {"train.save_every", "4", ""},
                                           {"train.valid_every", "6", ""},
                                           {"train.tensorboard", "false", ""}};
    settings.insert(settings.end(), more.begin(), more.end());
    return resolve_config("", settings);
  }
  TrainResult run(const RunConfig& config, const std::string& name,
                  const TrainerOptions& options = {.threads = 1}) const {
    TrainerOptions all = options;
    all.output = folder_ / name;
    return train(config, all);
  }

  TempDir folder_;
};

}  // namespace yona::testing
