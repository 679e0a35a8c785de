#include "yona/tasks/planned_preset.h"

#include "yona/tasks/task_kind.h"

namespace yona {

void apply_planned_preset(RunConfig& config, std::string_view name) {
  const RunConfig before = config;
  config.preset = name;
  task_kind(config.task).apply_preset(config);
  for (const ConfigKey<RunConfig>& key : run_config_keys(config.task)) {
    const bool is_layers = key.name == "model.encoder_layers" || key.name == "model.decoder_layers";
    const bool is_given =
        !config.is_open(key.name) || (is_layers && !config.is_open("model.layers"));
    if (key.name.starts_with("model.") && key.role == KeyRole::plain && is_given) {
      key.set(config, key.get(before), {key.name, "", ""});
    }
  }
}

}  // namespace yona
