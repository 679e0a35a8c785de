// Stops a run whose loss or gradient is not a number, or skips such updates, and remembers the last
// checkpoint from whose weights a run can continue.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "yona/io/checkpoints.h"
#include "yona/train/progress.h"
#include "yona/train/train_config.h"

namespace yona {

class FiniteGuard {
 public:
  // Skipped updates are reported; the reporter must outlive this object.
  FiniteGuard(const TrainConfig& train, Reporter& reporter)
      : on_nan_(train.on_nan), clips_(train.clip_norm > 0), reporter_(reporter) {}

  // The optimiser leaves the weights alone when a gradient is not finite; this decides whether the
  // run continues. Throws Error naming the update, `batches` and the last good checkpoint, unless
  // such updates are to be skipped and the last 100 were not all skipped.
  void check(const UpdateReport& report, const std::string& batches);

  // A checkpoint is on disk. It is good once an update from its weights has had a loss that a model
  // can have: weights of 1e26 are finite too.
  void saved(Checkpoint checkpoint) { saved_ = std::move(checkpoint); }
  // Only these checkpoints are left on disk.
  void keeps(const std::set<std::int64_t>& steps) {
    if (last_good_ && !steps.contains(last_good_->step)) {
      last_good_.reset();
    }
  }
  const std::optional<Checkpoint>& last_good() const { return last_good_; }
  // Did the last update have a loss that no model can have?
  bool is_lost() const { return is_lost_; }

 private:
  std::string advice() const;

  OnNan on_nan_;
  bool clips_;
  Reporter& reporter_;
  std::int64_t skipped_in_a_row_ = 0;
  std::optional<Checkpoint> saved_, last_good_;
  bool is_lost_ = false;
};

}  // namespace yona
