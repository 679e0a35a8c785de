// One sentence of a ragged attention: which rows are its queries and keys, and who sees whom.
//
// Every mask lets a query see a run of keys that starts at the first one, so a mask is one number
// per query: how many keys it sees.
#pragma once

#include <algorithm>
#include <cstdint>

#include "yona/backend/kernel_args.h"

namespace yona {

struct AttentionSentence {
  std::int64_t first_query = 0;  // rows of q, out and lse
  std::int64_t first_key = 0;    // rows of k and v
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  Mask mask = Mask::none;
  std::int64_t prefix = 0;

  AttentionSentence(const AttentionArgs& args, std::int64_t sentence)
      : first_query(args.q_offsets[sentence]),
        first_key(args.k_offsets[sentence]),
        queries(args.q_offsets[sentence + 1] - first_query),
        keys(args.k_offsets[sentence + 1] - first_key),
        mask(args.mask),
        prefix(args.mask == Mask::prefix ? std::clamp<std::int64_t>(args.prefix[sentence], 0, keys)
                                         : 0) {}

  // The position of a query among the keys: the last query stands at the last key.
  std::int64_t position(std::int64_t query) const { return query + keys - queries; }

  // The first query that sees this key; all later ones do too.
  std::int64_t first_seeing(std::int64_t key) const {
    return mask == Mask::none || key < prefix ? 0
                                              : std::max<std::int64_t>(key - (keys - queries), 0);
  }

  // How many keys, from the first, this query sees. Never decreases with the query.
  std::int64_t visible(std::int64_t query) const {
    return mask == Mask::none
               ? keys
               : std::max(prefix, std::clamp<std::int64_t>(position(query) + 1, 0, keys));
  }
};

}  // namespace yona
