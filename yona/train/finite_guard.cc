#include "yona/train/finite_guard.h"

#include <vector>

#include "yona/base/error.h"

namespace yona {

namespace {

// Nats a token. A model that knows nothing has log(vocabulary size), below 17.
constexpr double kHighestLoss = 100;

}  // namespace

std::string FiniteGuard::advice() const {
  std::vector<std::string> settings{"a lower train.learning_rate"};
  if (!clips_) {
    settings.emplace_back("train.clip_norm=1");
  }
  if (on_nan_ == OnNan::stop) {
    settings.emplace_back("train.on_nan=skip");
  }
  const std::string how = !last_good_ ? ""
                          : last_good_ == saved_
                              ? " with --resume --allow-changes"
                              : " with --resume --allow-changes, after deleting those after it";
  return fmt::format("try {}{}", fmt::join(settings, " or "), how);
}

void FiniteGuard::check(const UpdateReport& report, const std::string& batches) {
  skipped_in_a_row_ = report.skipped ? skipped_in_a_row_ + 1 : 0;
  is_lost_ = report.skipped || report.loss > kHighestLoss;
  if (!is_lost_) {
    last_good_ = saved_;
  }
  if (!report.skipped) {
    return;
  }
  constexpr std::int64_t kMostSkipped = 100;
  const std::string what = fmt::format("the loss is {} and the gradient's norm {} at update {}, {}",
                                       report.loss, report.gradient_norm, report.update, batches);
  yona::check<Error>(on_nan_ == OnNan::skip && skipped_in_a_row_ < kMostSkipped,
                     "train: {}; {}; {}", what,
                     last_good_ ? "the last good checkpoint is " + last_good_->path.string()
                                : "there is no good checkpoint",
                     advice());
  reporter_.message(MessageLevel::warning, what + "; the update is left out");
}

}  // namespace yona
