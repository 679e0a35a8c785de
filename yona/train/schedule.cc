#include "yona/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "yona/base/error.h"

namespace yona {

bool has_end(const ScheduleConfig& schedule) {
  return schedule.kind == ScheduleKind::cosine || schedule.kind == ScheduleKind::linear;
}

void check_schedule(const ScheduleConfig& schedule) {
  check(!has_end(schedule) || schedule.final_rate <= schedule.rate,
        "train.final_rate: {} is above train.learning_rate {}", schedule.final_rate, schedule.rate);
  check(schedule.kind != ScheduleKind::paper || schedule.warmup > 0,
        "train.warmup: the paper's schedule needs at least 1");
}

void check_schedule(const TrainConfig& train) {
  check_schedule(train.schedule);
  check(!has_end(train.schedule) || train.schedule.warmup < train.updates,
        "train.warmup: {} updates leave nothing of train.updates {}", train.schedule.warmup,
        train.updates);
}

double learning_rate(const ScheduleConfig& schedule, std::int64_t d_model, std::int64_t updates,
                     std::int64_t update) {
  const auto step = static_cast<double>(std::max<std::int64_t>(update, 1));
  const auto warmup = static_cast<double>(std::max<std::int64_t>(schedule.warmup, 1));
  const double rise = std::min(1.0, step / warmup);
  const double length = std::max(1.0, static_cast<double>(updates) - warmup);
  const double progress = std::clamp((step - warmup) / length, 0.0, 1.0);
  switch (schedule.kind) {
    case ScheduleKind::paper:
      return schedule.rate / std::sqrt(static_cast<double>(d_model)) *
             std::min(1.0 / std::sqrt(step), step * std::pow(warmup, -1.5));
    case ScheduleKind::inverse_sqrt:
      return schedule.rate * std::min(step / warmup, std::sqrt(warmup / step));
    case ScheduleKind::cosine:
      return rise < 1.0 ? schedule.rate * rise
                        : schedule.final_rate + (schedule.rate - schedule.final_rate) * 0.5 *
                                                    (1.0 + std::cos(std::numbers::pi * progress));
    case ScheduleKind::linear:
      return rise < 1.0 ? schedule.rate * rise
                        : schedule.rate + (schedule.final_rate - schedule.rate) * progress;
    case ScheduleKind::constant:
      return schedule.rate * rise;
  }
  fail("schedule: unknown kind {}", static_cast<int>(schedule.kind));
}

}  // namespace yona
