#include "yona/decode/length_penalty.h"

#include <cmath>

namespace yona {

double length_divisor(const DecodeOptions& options, const OutputLength& length) {
  const auto tokens = static_cast<double>(length.tokens);
  switch (options.mode) {
    case BeamMode::paper:
      return std::pow((5.0 + tokens) / 6.0, options.length_penalty);
    case BeamMode::huggingface:
      return std::pow(tokens - static_cast<double>(length.prefix), options.length_penalty);
    case BeamMode::marian:
    case BeamMode::ctranslate2:
    case BeamMode::fairseq:
      break;
  }
  return std::pow(tokens, options.length_penalty);
}

double length_normalised(const DecodeOptions& options, double sum, const OutputLength& length) {
  const double words = options.mode == BeamMode::marian
                           ? options.word_penalty * static_cast<double>(length.tokens)
                           : 0.0;
  return (sum - words) / length_divisor(options, length);
}

bool prefix_counts(BeamMode mode) {
  return mode != BeamMode::huggingface && mode != BeamMode::ctranslate2;
}

}  // namespace yona
