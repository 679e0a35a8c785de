// The keys model.* of a task whose model is the Transformer.
#pragma once

#include "yona/config/config_key.h"
#include "yona/models/transformer_config.h"

namespace yona {

ConfigKeys<TransformerConfig> transformer_keys();

}  // namespace yona
