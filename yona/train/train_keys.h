// The keys train.* of a configuration.
#pragma once

#include <string>
#include <vector>

#include "yona/config/config_key.h"
#include "yona/train/train_config.h"

namespace yona {

// What a task's validations can compute besides the loss.
struct MetricNames {
  std::vector<std::string> names;
  std::string meaning;  // of train.valid_metrics
};

ConfigKeys<TrainConfig> train_keys(const MetricNames& metrics);

}  // namespace yona
