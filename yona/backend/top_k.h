// What the top_k kernels of host memory share: the candidates of one row, and how those of a
// sentence's rows become one list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "yona/backend/kernel_args.h"

namespace yona {

struct RowCandidate {
  float score = 0;
  std::int32_t row = 0;
  std::int32_t token = 0;
};

// The order of results: best first, equal ones by row and token.
inline bool comes_before(const RowCandidate& a, const RowCandidate& b) {
  if (a.score != b.score) {
    return a.score > b.score;
  }
  return a.row != b.row ? a.row < b.row : a.token < b.token;
}

// Writes the best of `found` (any order, all with finite scores) as the results of a sentence.
inline void put_candidates(const TopKArgs& args, std::int64_t sentence,
                           std::vector<RowCandidate>& found) {
  const std::int64_t k = args.scores.cols;
  const std::int64_t count = std::min(k, static_cast<std::int64_t>(found.size()));
  std::partial_sort(found.begin(), found.begin() + count, found.end(), comes_before);
  for (std::int64_t i = 0; i < k; ++i) {
    const RowCandidate candidate =
        i < count ? found[static_cast<std::size_t>(i)]
                  : RowCandidate{-std::numeric_limits<float>::infinity(), 0, -1};
    args.scores.row<float>(sentence)[i] = candidate.score;
    args.rows.row<std::int32_t>(sentence)[i] = candidate.row;
    args.tokens.row<std::int32_t>(sentence)[i] = candidate.token;
  }
}

// Takes the banned tokens of a row out of it.
inline void ban_tokens(const TopKArgs& args, std::int64_t row) {
  if (args.ban_offsets != nullptr) {
    for (std::int64_t i = args.ban_offsets[row]; i < args.ban_offsets[row + 1]; ++i) {
      args.logits.row<float>(row)[args.bans[i]] = -std::numeric_limits<float>::infinity();
    }
  }
}

}  // namespace yona
