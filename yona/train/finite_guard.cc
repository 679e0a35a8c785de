#include "yona/train/finite_guard.h"

#include "yona/base/error.h"

namespace yona {

void FiniteGuard::check(const UpdateReport& report, const std::string& batches,
                        const std::filesystem::path& last_good) {
  skipped_in_a_row_ = report.skipped ? skipped_in_a_row_ + 1 : 0;
  if (!report.skipped) {
    return;
  }
  constexpr std::int64_t kMostSkipped = 100;
  const std::string what = fmt::format("the loss is {} and the gradient's norm {} at update {}, {}",
                                       report.loss, report.gradient_norm, report.update, batches);
  yona::check<Error>(on_nan_ == OnNan::skip && skipped_in_a_row_ < kMostSkipped,
                     "train: {}; {}; try a lower train.learning_rate, train.clip_norm=1 or "
                     "train.on_nan=skip",
                     what,
                     last_good.empty() ? "no checkpoint has been saved yet"
                                       : "the last good checkpoint is " + last_good.string());
  reporter_.message(MessageLevel::warning, what + "; the update is left out");
}

}  // namespace yona
