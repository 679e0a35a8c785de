// The configuration keys of translation: preset, model.*, data.* and train.*.
#pragma once

#include "yona/config/config_key.h"
#include "yona/tasks/run_config.h"

namespace yona {

const ConfigKeys<RunConfig>& translation_keys();

// What stands in each item of data.train and data.valid.
const ConfigKeys<CorpusSpec>& corpus_keys();
const ConfigKeys<ValidationSet>& validation_set_keys();

}  // namespace yona
