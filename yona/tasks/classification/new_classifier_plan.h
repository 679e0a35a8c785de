// What a run of classification chooses for a model that begins with random weights, where the user
// gave nothing: the defaults are those of fine-tuning BERT base. docs/training-time.md has the
// values and how they were found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yona/tasks/run_config.h"

namespace yona {

// Highest learning rate of a new encoder: 0.001 for d_model 128.
double new_encoder_rate(std::int64_t d_model);

// All keys that are planned, those of train/time_plan.h included.
std::vector<std::string> planned_classification_keys();

// Gives open keys (RunConfig::is_open) their values: the preset with model.norm and
// model.text_vector, unless one was named; model.dropout, data.hidden, train.learning_rate.
void plan_new_classifier(RunConfig& config);

}  // namespace yona
