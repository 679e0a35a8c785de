// A training run of any task (paper section 5).
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "yona/base/timing.h"
#include "yona/parallel/communicator.h"
#include "yona/train/progress.h"
#include "yona/train/task.h"
#include "yona/train/train_config.h"

namespace yona {

struct TrainerOptions {
  std::filesystem::path output{};  // the run's folder, and the model's: see docs/formats.md
  bool resume = false;             // go on from the newest good checkpoint
  bool allow_changes = false;      // also with other settings or data, which is reported
  std::filesystem::path init{};    // begin with this folder's weights and sub-words (fine-tuning)
  std::string device = "cpu";
  int threads = 0;
  // Of several processes that train together, each calls run_training() with the same
  // configuration. nullptr: this one is alone. Only rank 0 has a reporter.
  Communicator* ranks = nullptr;
  int ranks_on_machine = 1;                 // that share its memory
  Reporter* reporter = nullptr;             // nullptr: silent
  const std::atomic<bool>* stop = nullptr;  // when it turns true: save and return
  // How many outputs are made and reported at each validation.
  std::int64_t samples = 0;
  // Keys that the user left open: a new run chooses their values (time_plan.h) and records them.
  std::set<std::string> open{};
  std::function<double()> clock = steady_seconds;
  // When the time of train.time began, by the clock; not given: now.
  std::optional<double> began{};
};

struct TrainResult {
  std::int64_t updates = 0;
  double best_loss = 0.0;  // NaN without a validation set
  bool stopped_early = false;
  bool interrupted = false;
};

// Throws InvalidArgument, FormatError or IoError with one clear line for what the user can mend; a
// loss that is not finite throws Error naming the update, the batch and the last good checkpoint.
TrainResult run_training(TrainConfig train, const MakeTask& make_task,
                         const TrainerOptions& options);

}  // namespace yona
