// Keys, defaults and checks of the tasks whose model is an encoder alone.
#pragma once

#include "yona/tasks/run_config.h"
#include "yona/tasks/task_kind.h"

namespace yona {

const ConfigKeys<RunConfig>& classification_keys();
const ConfigKeys<RunConfig>& masked_lm_keys();

// What both have in common. Fine-tuning as Devlin et al. 2019, §A.3: Adam with a warm-up and a
// linear decay, weight decay 0.01.
void set_encoder_defaults(RunConfig& config);
void apply_encoder_preset(RunConfig& config);
void check_encoder_config(const RunConfig& config);
void make_text_paths_absolute(RunConfig& config);

// Tokens of a text: data.max_length, within the model's positions.
std::int64_t longest_text(const RunConfig& config);

}  // namespace yona
