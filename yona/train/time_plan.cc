#include "yona/train/time_plan.h"

#include <algorithm>
#include <cmath>

#include "yona/base/error.h"
#include "yona/data/examples.h"
#include "yona/train/schedule.h"

namespace yona {

namespace {

constexpr std::int64_t kFewUpdates = 1500;  // fewer are worth smaller batches
constexpr std::int64_t kSmallBatch = 1024;  // tokens; smaller ones keep a CPU less busy
constexpr double kMostPlanned = 1e6;
constexpr double kReserve = 0.03;  // of the time: validations, checkpoints

std::int64_t updates_for(const TimeFacts& facts, std::int64_t epochs) {
  const auto done = static_cast<double>(facts.done);
  double updates = facts.seconds_left > 0
                       ? done + facts.seconds_left / std::max(facts.seconds_per_update, 1e-9)
                       : facts.passes * facts.updates_per_pass;
  if (epochs > 0) {
    updates = std::min(updates, std::ceil(static_cast<double>(epochs) * facts.updates_per_pass));
  }
  return static_cast<std::int64_t>(std::clamp(updates, done + 1.0, done + kMostPlanned));
}

// Where the course ends with the run, a part of the run is left for it.
std::int64_t planned_warmup(const TrainConfig& train) {
  const std::int64_t least = has_end(train.schedule) && train.updates == 1 ? 0 : 1;
  return std::clamp<std::int64_t>(train.updates * 15 / 100, least,
                                  std::max(least, train.schedule.warmup));
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

const std::vector<std::string>& planned_length_keys() {
  static const std::vector<std::string> keys{"train.updates", "train.warmup", "train.valid_every",
                                             "train.save_every", "train.patience"};
  return keys;
}

TimePlan plan_time(TrainConfig train, const OpenKeys& open, TimeFacts facts) {
  const auto is_open = [&](const char* key) { return open.contains(key); };
  if (is_open("train.updates")) {
    train.updates = updates_for(facts, train.epochs);
    while (is_open("train.batch_tokens") && train.updates < kFewUpdates &&
           train.batch_tokens >= 2 * kSmallBatch) {
      train.batch_tokens /= 2;
      facts.updates_per_pass *= 2;
      facts.seconds_per_update /= 2;
      train.updates = updates_for(facts, train.epochs);
    }
  }
  const std::int64_t updates = train.updates;
  if (is_open("train.warmup")) {
    train.schedule.warmup = planned_warmup(train);
  }
  check(
      !has_end(train.schedule) || train.schedule.warmup < updates,
      "train.warmup: {} updates leave nothing of the {} that were planned; give a smaller one, or "
      "leave it out",
      train.schedule.warmup, updates);
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
  const double seconds = facts.seconds_per_update * static_cast<double>(updates - facts.done);
  return {std::move(train), passes, seconds};
}

double worthwhile_passes(std::uint64_t examples) {
  const double count = std::max(1.0, static_cast<double>(examples));
  return std::clamp(150 * std::sqrt(29000 / count), 4.0, 200.0);
}

double worthwhile_text_passes(const Examples& examples) {
  constexpr std::uint64_t kTokens = 15;  // of a sentence of Multi30k
  std::uint64_t tokens = 0;
  for (std::uint64_t i = 0; i < examples.count(); ++i) {
    tokens += static_cast<std::uint64_t>(examples.lengths(i).front());
  }
  return worthwhile_passes(tokens / kTokens);
}

double seconds_for_updates(std::int64_t seconds, double spent) {
  return std::max(1.0, static_cast<double>(seconds) * (1 - kReserve) - spent);
}

}  // namespace yona
