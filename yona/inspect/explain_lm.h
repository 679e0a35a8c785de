// One step through a language model with its real numbers, as explain.h does for translation: a
// prompt and the token that follows it.
#pragma once

#include <vector>

#include "yona/inspect/layer_walk.h"
#include "yona/models/causal_lm.h"

namespace yona {

struct ExplainedPrompt {
  std::vector<std::int32_t> ids;
  std::int64_t layer = 0, head = 0, query = 0;  // from 0; query: a token that looks
};

// Runs the model, in single precision. Of the explanation the decoder's tokens are set, and no
// source. Throws InvalidArgument for an empty or too long prompt, and for a layer, head or token
// that is not there; NotImplemented for attention that sees neither all keys before a token nor a
// window of them.
Explanation explain(const CausalLm& model, const Parameters& parameters, Backend& backend,
                    const ExplainedPrompt& prompt, const TokenName& name_of_token);

}  // namespace yona
