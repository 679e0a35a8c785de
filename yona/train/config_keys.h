// The table of every configuration key. config.yaml, --set, `yona config` and
// docs/configuration.md are all made from it: a field that is not here cannot be configured.
#pragma once

#include <vector>

#include "yona/train/config_key.h"
#include "yona/train/run_config.h"

namespace yona {

const std::vector<ConfigKey<RunConfig>>& run_config_keys();

// What stands in each item of data.train and data.valid.
const std::vector<ConfigKey<CorpusSpec>>& corpus_keys();
const std::vector<ConfigKey<ValidationSet>>& validation_set_keys();

}  // namespace yona
