#include "yona/decode/length_penalty.h"

#include <cmath>

namespace yona {

double length_normalised(const DecodeOptions& options, double sum, const OutputLength& length) {
  const auto tokens = static_cast<double>(length.tokens);
  switch (options.mode) {
    case BeamMode::paper:
      return sum / std::pow((5.0 + tokens) / 6.0, options.length_penalty);
    case BeamMode::huggingface:
      return sum / std::pow(tokens - static_cast<double>(length.prefix), options.length_penalty);
    case BeamMode::marian:
      return (sum - options.word_penalty * tokens) / std::pow(tokens, options.length_penalty);
    case BeamMode::ctranslate2:
    case BeamMode::fairseq:
      break;
  }
  return sum / std::pow(tokens, options.length_penalty);
}

bool prefix_counts(BeamMode mode) {
  return mode != BeamMode::huggingface && mode != BeamMode::ctranslate2;
}

}  // namespace yona
