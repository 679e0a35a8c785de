#include "yona/tasks/metric_checks.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/config/config_key.h"

namespace yona {

void check_metric_names(const TrainConfig& train, const std::vector<std::string>& known) {
  for (const std::string& name : train.valid_metrics) {
    check(std::find(known.begin(), known.end(), name) != known.end(),
          "train.valid_metrics: expected {}, got '{}'", join_names(known), name);
  }
}

void check_best_by(const TrainConfig& train) {
  const std::vector<std::string>& metrics = train.valid_metrics;
  check(train.best_by == "loss" ||
            std::find(metrics.begin(), metrics.end(), train.best_by) != metrics.end(),
        "train.best_by: {} is not among train.valid_metrics; add it there", train.best_by);
}

}  // namespace yona
