#include "yona/tasks/train.h"

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "yona/tasks/task_kind.h"
#include "yona/train/time_plan.h"

namespace yona {

namespace {

// Is the course of the learning rate given, or the paper's by its preset? Then the rest of the
// run's settings are as they are, and a time limit decides train.updates alone.
bool has_own_course(const RunConfig& config) {
  const bool is_named =
      !config.is_open("preset") && (config.preset == "base" || config.preset == "big");
  return is_named || !config.is_open("train.schedule") || !config.is_open("train.learning_rate") ||
         !config.is_open("train.warmup") || !config.is_open("train.final_rate");
}

// Chooses what was left open by the data; gives the keys that are left to choose by time.
std::set<std::string> plan(RunConfig& config, const TaskKind& kind, const TrainerOptions& options) {
  std::set<std::string> open;
  if (!config.given) {
    return open;
  }
  if (kind.plan == nullptr || !options.init.empty() || has_own_course(config)) {
    if (config.train.seconds > 0 && config.is_open("train.updates")) {
      open.insert("train.updates");
      if (config.is_open("train.warmup")) {
        open.insert("train.warmup");
      }
    }
    return open;
  }
  kind.plan(config);
  for (const std::string& key : planned_train_keys()) {
    if (config.is_open(key)) {
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
  options.open = plan(config, kind, options);
  const TrainConfig settings = config.train;
  const MakeTask make_task = [&](const TrainConfig& train, const RunPlace& place) {
    config.train = train;
    return kind.make(std::move(config), place);
  };
  return run_training(settings, make_task, options);
}

}  // namespace yona
