#include "yona/train/time_plan.h"

#include <algorithm>
#include <cmath>

namespace yona {

namespace {

constexpr std::int64_t kFewUpdates = 1500;  // fewer are worth smaller batches
constexpr std::int64_t kSmallBatch = 1024;  // tokens; smaller ones keep a CPU less busy
constexpr std::int64_t kMostPlanned = 1'000'000;
constexpr double kReserve = 0.03;  // of the time: validations, checkpoints

std::int64_t updates_for(const TimeFacts& facts) {
  const double updates = facts.seconds_left > 0
                             ? facts.seconds_left / std::max(facts.seconds_per_update, 1e-9)
                             : facts.passes * facts.updates_per_pass;
  return static_cast<std::int64_t>(std::clamp(updates, 1.0, double{kMostPlanned}));
}

// Rounded, so that a configuration can be read.
double average_decay(std::int64_t updates) {
  const double reach = std::clamp(static_cast<double>(updates) / 8, 2.0, 1000.0);
  return std::round((1 - 1 / reach) * 1e4) / 1e4;
}

}  // namespace

const std::vector<std::string>& planned_train_keys() {
  static const std::vector<std::string> keys{
      "train.updates",       "train.batch_tokens", "train.schedule",
      "train.learning_rate", "train.warmup",       "train.ema",
      "train.valid_every",   "train.save_every",   "train.patience"};
  return keys;
}

TimePlan plan_time(TrainConfig train, const OpenKeys& open, TimeFacts facts) {
  const auto is_open = [&](const char* key) { return open.contains(key); };
  if (is_open("train.updates")) {
    train.updates = updates_for(facts);
    while (is_open("train.batch_tokens") && train.updates < kFewUpdates &&
           train.batch_tokens >= 2 * kSmallBatch) {
      train.batch_tokens /= 2;
      facts.updates_per_pass *= 2;
      facts.seconds_per_update /= 2;
      train.updates = updates_for(facts);
    }
  }
  const std::int64_t updates = train.updates;
  if (is_open("train.warmup")) {
    const std::int64_t most = train.schedule.kind == ScheduleKind::paper ? 4000 : 1000;
    train.schedule.warmup = std::clamp<std::int64_t>(updates * 15 / 100, 1, most);
  }
  if (is_open("train.ema")) {
    train.ema = average_decay(updates);
  }
  const std::int64_t validations =
      std::clamp<std::int64_t>(updates / 100, 1, train.patience > 0 ? 40 : 10);
  if (is_open("train.valid_every")) {
    train.valid_every = std::max<std::int64_t>(1, updates / validations);
  }
  if (is_open("train.save_every")) {
    train.save_every = std::max<std::int64_t>(1, updates / (2 * validations));
  }
  const double passes = static_cast<double>(updates) / std::max(facts.updates_per_pass, 1e-9);
  const double seconds = facts.seconds_per_update * static_cast<double>(updates);
  return {std::move(train), passes, seconds};
}

double worthwhile_passes(std::uint64_t examples) {
  const double count = std::max(1.0, static_cast<double>(examples));
  return std::clamp(150 * std::sqrt(29000 / count), 4.0, 200.0);
}

double seconds_for_updates(std::int64_t seconds, double spent) {
  return std::max(1.0, static_cast<double>(seconds) * (1 - kReserve) - spent);
}

}  // namespace yona
