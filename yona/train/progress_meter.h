// Averages over the last updates, and what follows from them: tokens a second, time left.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "yona/train/progress.h"

namespace yona {

struct ProgressSummary {
  UpdateReport last;  // the latest update as it was reported
  double loss = 0.0;  // the averages weigh each update by its predictions
  double nll = 0.0;
  double gradient_norm = 0.0;
  double tokens_per_second = 0.0;      // predicted; validation and saving left out
  std::optional<double> seconds_left;  // everything counted; nothing without a number of updates
  double perplexity() const { return std::exp(nll); }
};

class ProgressMeter {
 public:
  explicit ProgressMeter(std::int64_t window) : window_(window) {}

  void begin(std::int64_t first_update) { first_update_ = first_update; }
  void add(const UpdateReport& report);
  // Of the last `window` updates. Skipped ones count for the speed alone. NaN where nothing counts.
  ProgressSummary summary() const;

 private:
  std::int64_t window_;
  std::int64_t first_update_ = 0;
  std::deque<UpdateReport> recent_;
};

}  // namespace yona
