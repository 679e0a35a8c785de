// What the sum of log-probabilities of a hypothesis becomes as its score, in each program's way.
#pragma once

#include <cstdint>

#include "yona/decode/options.h"

namespace yona {

struct OutputLength {
  std::int64_t tokens = 0;  // prefix and </s> included
  std::int64_t prefix = 0;
};

//   paper        sum / ((5 + |Y|) / 6)^α           Wu et al. 2016, eq. 14; |Y| with </s>
//   huggingface  sum / |Y|^α                       |Y| with </s>, without a prefix
//   ctranslate2  sum / |Y|^α                       |Y| with </s> and a prefix
//   marian       (sum - word_penalty · |Y|) / |Y|^α      |Y| with </s>; α is its --normalize
//   fairseq      sum / |Y|^α                       |Y| with </s>; α is its --lenpen
double length_normalised(const DecodeOptions& options, double sum, const OutputLength& length);

// What the sum is divided by; marian's word penalty is apart.
double length_divisor(const DecodeOptions& options, const OutputLength& length);

// Does a prefix count in the sum? Not in Hugging Face's and CTranslate2's.
bool prefix_counts(BeamMode mode);

}  // namespace yona
