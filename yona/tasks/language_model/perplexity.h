// How well a language model predicts a text: windows that move by a stride, as the documentation of
// transformers does it ("Perplexity of fixed-length models").
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/models/causal_lm.h"
#include "yona/tasks/language_model/perplexity_figures.h"
#include "yona/text/tokenizer/text_tokenizer.h"

namespace yona {

// Of a text: its tokens as transformers makes them (with <s> in front for Llama). Throws
// InvalidArgument for a text of fewer than two tokens, and for a context that the model does not
// have or a stride above it.
Perplexity perplexity(const CausalLm& model, const TextTokenizer& tokenizer, std::string_view text,
                      const PerplexityOptions& options, Backend& backend);

// The first of each window's tokens, and how many of its last ones are predicted in it.
struct PerplexityWindow {
  std::int64_t begin = 0, length = 0, predicted = 0;
};
std::vector<PerplexityWindow> perplexity_windows(std::int64_t tokens, std::int64_t context,
                                                 std::int64_t stride);

}  // namespace yona
