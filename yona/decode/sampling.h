// Drawing the next token (Holtzman et al. 2020 for top-p). What is drawn is a function of the seed,
// the request, the sample and the step, whatever the batch.
#pragma once

#include <cstdint>
#include <span>

#include "yona/decode/options.h"

namespace yona {

struct SamplePlace {
  std::uint64_t request = 0;  // its id
  std::uint64_t sample = 0;   // which of the request's samples
  std::int64_t step = 0;
};

// Uniform in [0, 1).
double sample_number(std::uint64_t seed, const SamplePlace& place);

// Which of the log-probabilities, sorted from the best, to take: temperature, then the best top_k
// of them, then the fewest that have top_p of what is left.
std::size_t sample_sorted(std::span<const float> log_probabilities, const SamplingOptions& options,
                          double number);

// The same over a whole vocabulary in its own order, without top_k and top_p.
std::size_t sample_any(std::span<const float> log_probabilities, double temperature, double number);

// The fewest of a whole vocabulary, in its own order, that have top_p of the probability: as
// sample_sorted(), without sorting more than is drawn from.
std::size_t sample_nucleus(std::span<const float> log_probabilities, const SamplingOptions& options,
                           double number);

}  // namespace yona
