// What a run trains: the model's shape and its tokeniser. Both are new, or those of the folder that
// it starts from (--init), or those that it began with (--resume).
#pragma once

#include "yona/base/json.h"
#include "yona/io/causal_lm/lm_config.h"
#include "yona/tasks/run_config.h"
#include "yona/text/tokenizer/text_tokenizer.h"
#include "yona/train/task.h"

namespace yona {

struct LmRunModel {
  TextTokenizer tokenizer;
  std::string tokenizer_identity;  // equal for equal files
  LmDescription description;
  Json config;  // config.json
};

// The tokeniser's files are in the run's folder afterwards. Throws as read_lm_description() and
// train_lm_tokenizer() do.
LmRunModel prepare_lm(const RunConfig& config, const RunPlace& place);

}  // namespace yona
