// Training: from text files to a model folder that Model::load() takes.
//
//   yona::train({.output = "run",
//                .source = {"train.en"}, .target = {"train.de"},
//                .settings = {{"preset", "tiny"}, {"train.updates", "2000"}}},
//               [](const yona::UpdateReport& update) { … });
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "yona/base/error_kinds.h"
#include "yona/train/progress.h"

namespace yona {

// A key of the configuration (docs/configuration.md), as `--set key=value` has it.
struct TrainSetting {
  std::string key, value;
  std::string origin{};  // what messages call it; empty: the key
};

struct ValidationFiles {
  std::filesystem::path source, target;
  std::string name = "valid";
};

struct TrainOptions {
  std::filesystem::path output;  // the run's folder, which is the model's folder too
  // Sentences, one a line (.gz, .xz and .zst too), paired file by file; or pairs in one file,
  // separated by tabs.
  std::vector<std::filesystem::path> source{}, target{}, tsv{};
  std::vector<ValidationFiles> valid{};  // the first decides which model is the best
  // Of tasks other than translation, which the setting "task" names: what is learnt from (text,
  // treebanks, labelled texts), and one file of the same kind that decides which model is the best.
  std::vector<std::filesystem::path> train{};
  std::filesystem::path held_out{};
  std::filesystem::path config{};           // YAML; `yona config` prints one
  std::vector<TrainSetting> settings{};     // over the file
  bool resume = false;                      // go on with the run in `output`, to the same bits
  bool allow_changes = false;               // also with other settings or data
  std::filesystem::path init{};             // begin with this model (fine-tuning)
  std::string device = "cpu";               // or "cuda"
  int threads = 0;                          // 0: all CPUs that the process may use
  const std::atomic<bool>* stop = nullptr;  // when it turns true: save and return
};

struct TrainSummary {
  std::int64_t updates = 0;    // done in all
  double best_loss = 0.0;      // NaN without a validation set
  bool stopped_early = false;  // patience ran out
  bool interrupted = false;    // by `stop`: saved, and can be resumed
};

// The training thread reports every update, validation, checkpoint and warning to the reporter;
// make_reporter() has those of `yona train`. Throws InvalidArgument, FormatError or IoError with
// one line for what the caller can mend; Error for a loss that is not finite.
TrainSummary train(const TrainOptions& options, Reporter* reporter = nullptr);
TrainSummary train(const TrainOptions& options,
                   const std::function<void(const UpdateReport&)>& updated);

}  // namespace yona
