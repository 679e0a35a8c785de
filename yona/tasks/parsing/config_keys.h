// The configuration keys of parsing, its presets, and whether settings go together.
#pragma once

#include "yona/config/config_key.h"
#include "yona/tasks/run_config.h"

namespace yona {

const ConfigKeys<RunConfig>& parsing_keys();

// tiny, small, or paper (§6.3: 4 layers, d_model 1024). Throws InvalidArgument with the list for
// others.
TransformerConfig parsing_preset(std::string_view name);

// What differs from the defaults of RunConfig.
void set_parsing_defaults(RunConfig& config);

// Throws InvalidArgument naming the keys when values do not go together, or a file that is named
// does not exist.
void check_parsing_config(const RunConfig& config);

}  // namespace yona
