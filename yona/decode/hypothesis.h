// One output of a search.
#pragma once

#include <cstdint>
#include <vector>

namespace yona {

using Ids = std::vector<std::int32_t>;

struct Hypothesis {
  Ids ids;                          // a prefix included, and </s> unless the length ran out
  std::vector<float> token_scores;  // log-probability of each id
  double log_probability = 0;       // their sum
  double score = 0;                 // what hypotheses are ordered by: normalised as the mode does
  // For each id, how much of the attention each source token had (rows sum to one); when asked for.
  std::vector<std::vector<float>> attention{};
};

}  // namespace yona
