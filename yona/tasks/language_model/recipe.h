// How a preset of a language model is trained unless keys say otherwise.
#pragma once

#include <string_view>

#include "yona/tasks/run_config.h"

namespace yona {

// Of all presets: cosine schedule, AdamW with weight decay on matrices, clipped gradients, no label
// smoothing (Brown et al. 2020, Appendix B).
void set_lm_defaults(RunConfig& config);

// config.language_model and what of config.train belongs to the preset config.preset: batch, rate
// and number of updates. Throws InvalidArgument for an unknown name.
void apply_lm_preset(RunConfig& config);

}  // namespace yona
