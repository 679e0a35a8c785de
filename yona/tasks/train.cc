#include "yona/tasks/train.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "yona/tasks/task_kind.h"
#include "yona/train/schedule.h"

namespace yona {

namespace {

constexpr std::int64_t kPatience = 8;  // validations, of a run whose length the data decides

bool has_recipe(const TaskKind& kind, const std::string& preset) {
  return std::find(kind.recipes.begin(), kind.recipes.end(), preset) != kind.recipes.end();
}

// Is the course of the learning rate given, or that of a preset's recipe? Then the rest of the
// run's settings are as they are, and a time limit decides its length alone.
bool has_own_course(const RunConfig& config, const TaskKind& kind, const TrainerOptions& options) {
  if (!config.is_open("preset") && has_recipe(kind, config.preset)) {
    return true;
  }
  if (kind.plan == nullptr) {  // which would choose another course
    return false;
  }
  return !options.init.empty() || !config.is_open("train.schedule") ||
         !config.is_open("train.learning_rate") || !config.is_open("train.warmup") ||
         !config.is_open("train.final_rate");
}

bool has_validation(const RunConfig& config) {
  for (const ConfigKey<RunConfig>& key : run_config_keys(config.task)) {
    if (key.name == "data.valid") {
      const ConfigNode value = key.get(config);
      return !value.items.empty() || !value.text.empty();
    }
  }
  return false;
}

// Keys of a run with a course of its own that still follow from its length.
std::set<std::string> open_in_recipe(const RunConfig& config) {
  std::set<std::string> open;
  const bool is_timed = config.train.seconds > 0 && config.is_open("train.updates");
  if (is_timed) {
    open.insert("train.updates");
  }
  // Of updates that are given, a warm-up that would leave nothing of them is made shorter.
  const bool is_too_long = !config.is_open("train.updates") && has_end(config.train.schedule) &&
                           config.train.schedule.warmup >= config.train.updates;
  if (config.is_open("train.warmup") && (is_timed || is_too_long)) {
    open.insert("train.warmup");
  }
  return open;
}

// Chooses what was left open by the data; gives the keys that are left to choose by time.
std::set<std::string> plan(RunConfig& config, const TaskKind& kind, const TrainerOptions& options) {
  if (!config.given) {
    return {};
  }
  if (has_own_course(config, kind, options)) {
    return open_in_recipe(config);
  }
  if (kind.plan != nullptr) {
    kind.plan(config);
  }
  if (kind.plan_new != nullptr && options.init.empty()) {
    kind.plan_new(config);
    kind.check(config);  // the shape of the model is known now
  }
  const bool may_stop = config.train.seconds == 0 && config.is_open("train.updates");
  if (config.is_open("train.patience") && may_stop && has_validation(config)) {
    config.train.patience = kPatience;
  }
  std::set<std::string> open;
  for (const std::string& key : kind.planned) {
    if (key.starts_with("train.") && config.is_open(key)) {
      open.insert(key);
    }
  }
  return open;
}

}  // namespace

TrainResult train(RunConfig config, const TrainerOptions& given_options) {
  const TaskKind& kind = task_kind(config.task);
  kind.check_start(config, given_options.init);
  TrainerOptions options = given_options;
  if (!options.began) {
    options.began = options.clock();
  }
  if (options.ranks != nullptr && config.is_open("train.accumulate")) {  // one for each rank
    config.train.accumulate =
        std::max<std::int64_t>(config.train.accumulate, options.ranks->size());
  }
  options.open = plan(config, kind, options);
  if (config.given && !options.open.contains("train.warmup") &&
      !options.open.contains("train.updates")) {
    check_schedule(config.train);  // what is planned is checked by the plan
  }
  const TrainConfig settings = config.train;
  const MakeTask make_task = [&](const TrainConfig& train, const RunPlace& place) {
    config.train = train;
    return kind.make(std::move(config), place);
  };
  return run_training(settings, make_task, options);
}

}  // namespace yona
