#include "yona/tasks/recorded_config.h"

#include <algorithm>
#include <string>

#include "yona/base/error.h"
#include "yona/tasks/task_kind.h"

namespace yona {

namespace {

constexpr const char* kTime = "train.time";
constexpr const char* kUpdates = "train.updates";

bool is_planned(const ConfigKey<RunConfig>& key, const RunConfig& config) {
  const std::vector<std::string>& planned = task_kind(config.task).planned;
  const auto contains = [&](const char* name) {
    return std::find(planned.begin(), planned.end(), name) != planned.end();
  };
  // Updates of a run on several ranks have a micro-batch for each of those that it began with.
  if (key.name == kTime || key.name == "train.accumulate" || contains(key.name.c_str())) {
    return true;
  }
  return key.name.starts_with("model.") && contains("preset") && config.is_open("preset");
}

// model.layers gives the layers of both sides.
bool is_open_for(const ConfigKey<RunConfig>& key, const RunConfig& config) {
  const bool is_layers = key.name == "model.encoder_layers" || key.name == "model.decoder_layers";
  return config.is_open(key.name) && !(is_layers && !config.is_open("model.layers"));
}

std::string time_in(const RunConfig& config) {
  for (const ConfigKey<RunConfig>& key : run_config_keys(config.task)) {
    if (key.name == kTime) {
      return key.get(config).text;
    }
  }
  return "";
}

}  // namespace

void follow_recorded(RunConfig& config, const std::filesystem::path& recorded, AllowChanges allow) {
  std::error_code error;
  if (!config.given || !std::filesystem::exists(recorded, error)) {
    return;
  }
  const RunConfig then = resolve_config(recorded, {});
  if (then.task != config.task) {
    return;  // refused with what else differs
  }
  const bool has_other_time = !config.is_open(kTime) && config.train.seconds != then.train.seconds;
  check(!has_other_time || allow == AllowChanges::yes,
        "train.time (--for): {} is not the {} that {} was planned for; leave it out, or plan the "
        "rest again "
        "with --allow-changes",
        time_in(config), time_in(then), recorded.string());
  const RunConfig now = config;
  for (const ConfigKey<RunConfig>& key : run_config_keys(config.task)) {
    if (key.role == KeyRole::task || key.role == KeyRole::shorthand ||
        (key.name == kUpdates && has_other_time)) {
      continue;
    }
    const bool is_taken = is_open_for(key, now) && is_planned(key, now);
    if (is_taken || key.name.starts_with("model.")) {  // which a preset gives new values
      key.set(config, key.get(is_taken ? then : now), {key.name, "", ""});
    }
    if (is_taken) {
      config.given->insert(key.name);
    }
  }
}

}  // namespace yona
