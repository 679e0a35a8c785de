// How well a language model predicts a text: windows that move by a stride, as the documentation of
// transformers does it ("Perplexity of fixed-length models").
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/models/causal_lm.h"
#include "yona/text/tokenizer/text_tokenizer.h"

namespace yona {

struct PerplexityOptions {
  std::int64_t context = 0;  // tokens of a window; 0: as many as the model has positions
  std::int64_t stride = 0;   // tokens from one window to the next; 0: the context
};

struct Perplexity {
  double nll = 0.0;         // nats, of all tokens that are predicted
  std::int64_t tokens = 0;  // that are predicted: all but the first
  std::int64_t windows = 0;
  std::int64_t words = 0;  // between white space
  std::int64_t bytes = 0;
  // exp of the mean nll per token. Windows are weighted as transformers' recipe weights them, by
  // the tokens they predict less one.
  double per_token = 0.0;
  double per_word = 0.0;  // exp(nll / words); NaN without words
  double per_byte = 0.0;
  double bits_per_byte = 0.0;
};

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
