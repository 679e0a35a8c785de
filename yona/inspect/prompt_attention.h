// What every head of a language model looks at in a prompt.
#pragma once

#include <cstdint>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/inspect/attention_maps.h"
#include "yona/models/causal_lm.h"

namespace yona {

// Most weights of all layers and heads together.
inline constexpr std::int64_t kMostPromptWeights = std::int64_t{1} << 22U;

// A map for each layer, [heads, tokens, tokens], of AttentionPart::decoder. Throws InvalidArgument
// for an empty prompt, and for one that is too long for the model or for kMostPromptWeights.
std::vector<AttentionMap> prompt_attention(const CausalLm& model, Backend& backend,
                                           const std::vector<std::int32_t>& ids);

}  // namespace yona
