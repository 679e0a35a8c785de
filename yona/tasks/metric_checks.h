// What a run measures on its validation sets, and what decides which model is the best.
#pragma once

#include <string>
#include <vector>

#include "yona/train/train_config.h"

namespace yona {

// Throws InvalidArgument for a name of train.valid_metrics that is not among `known`.
void check_metric_names(const TrainConfig& train, const std::vector<std::string>& known);

// Throws InvalidArgument when train.best_by is neither the loss nor in train.valid_metrics.
void check_best_by(const TrainConfig& train);

}  // namespace yona
