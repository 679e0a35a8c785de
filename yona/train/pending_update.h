// An update that the device may still be working on. Its result is read while the device
// works on the next one, so that neither waits for the other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "yona/base/timing.h"
#include "yona/data/examples.h"
#include "yona/train/learner.h"
#include "yona/train/progress.h"
#include "yona/train/team.h"

namespace yona {

struct PendingUpdate {
  UpdateReport report;  // what is known at once
  Clock::time_point start;
  std::vector<PendingLoss> losses;         // of this rank's micro-batches
  std::shared_ptr<Readback> squared_norm;  // of the gradient, f64
  std::int64_t first_batch = 0;            // its number in the epoch,
  std::uint64_t first_example = 0;         // and the example that it begins with

  // Waits for the device and fills in the rest; `before` is when the update before was known.
  // All ranks together.
  UpdateReport finish(Clock::time_point before, const Team& team, std::int64_t micro_batches) const;
  // For messages: "batch 3 of epoch 0 (…)".
  std::string describe_batches(const Examples& examples) const;
};

}  // namespace yona
