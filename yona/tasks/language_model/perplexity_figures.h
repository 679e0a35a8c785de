// What perplexity is asked for and what it is: plain values, for the library's users.
#pragma once

#include <cstdint>

namespace yona {

struct PerplexityOptions {
  std::int64_t context = 0;  // tokens of a window; 0: as many as the model has positions
  std::int64_t stride = 0;   // tokens from one window to the next; 0: the context
};

struct Perplexity {
  double nll = 0.0;         // nats, of all tokens that are predicted
  std::int64_t tokens = 0;  // that are predicted: all but the first, of the text or of each window
  std::int64_t windows = 0;
  std::int64_t words = 0;  // between white space
  std::int64_t bytes = 0;
  // exp of the mean nll per token. Windows are weighted as transformers' recipe weights them, by
  // the tokens they predict less one.
  double per_token = 0.0;
  // exp of the nll of all tokens but the text's first, per word or byte. That of tokens which begin
  // a window, and are not predicted, is taken to be the mean. NaN without words.
  double per_word = 0.0;
  double per_byte = 0.0;
  double bits_per_byte = 0.0;
};

}  // namespace yona
