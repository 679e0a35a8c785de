// Stops a run whose loss or gradient is no number, or leaves such updates out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "yona/train/progress.h"
#include "yona/train/run_config.h"

namespace yona {

class FiniteGuard {
 public:
  // The reporter hears of updates that are left out; it must outlive this object.
  FiniteGuard(OnNan on_nan, Reporter& reporter) : on_nan_(on_nan), reporter_(reporter) {}

  // The optimiser leaves the weights alone when a gradient is not finite; here it is decided what
  // becomes of the run. Throws Error naming the update, `batches` and `last_good`, a checkpoint's
  // folder or empty, unless such updates are to be skipped and the last 100 were not all like it.
  void check(const UpdateReport& report, const std::string& batches,
             const std::filesystem::path& last_good);

 private:
  OnNan on_nan_;
  Reporter& reporter_;
  std::int64_t skipped_in_a_row_ = 0;
};

}  // namespace yona
