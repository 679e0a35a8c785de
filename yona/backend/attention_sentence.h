// One sentence of a ragged attention: which rows are its queries and keys, and who sees whom.
//
// Every mask lets a query see a run of keys that starts at the first one, so a mask is one number
// per query: how many keys it sees. A window (attention_pattern.h) makes it two: where the run
// starts, and where it ends. Dilation leaves out keys of the run, and a block list has several
// runs: they are not looked at here.
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
  std::int64_t before = kAll;  // of the window
  std::int64_t after = kAll;

  AttentionSentence(const AttentionArgs& args, std::int64_t sentence)
      : first_query(args.q_offsets[sentence]),
        first_key(args.k_offsets[sentence]),
        queries(args.q_offsets[sentence + 1] - first_query),
        keys(args.k_offsets[sentence + 1] - first_key),
        mask(args.mask),
        prefix(args.mask == Mask::prefix ? std::clamp<std::int64_t>(args.prefix[sentence], 0, keys)
                                         : 0) {
    if (args.pattern.has_window()) {
      before = args.pattern.before * args.pattern.dilation;
      after = args.pattern.after * args.pattern.dilation;
    }
  }

  // The position of a query among the keys: the last query stands at the last key.
  std::int64_t position(std::int64_t query) const { return query + keys - queries; }

  // The first query that sees this key; all later ones do too, up to last_seeing().
  std::int64_t first_seeing(std::int64_t key) const {
    const std::int64_t diagonal = key - (keys - queries);
    const std::int64_t masked = mask == Mask::none || key < prefix ? 0 : diagonal;
    return std::max<std::int64_t>({masked, diagonal - after, 0});
  }
  // The last query that sees this key; below zero for none.
  std::int64_t last_seeing(std::int64_t key) const {
    return std::min(key - (keys - queries) + before, queries - 1);
  }

  // The end of the keys that this query sees. Never decreases with the query.
  std::int64_t visible(std::int64_t query) const {
    const std::int64_t masked =
        mask == Mask::none
            ? keys
            : std::max(prefix, std::clamp<std::int64_t>(position(query) + 1, 0, keys));
    return std::clamp<std::int64_t>(position(query) + after + 1, 0, masked);
  }
  // The first key that this query sees, up to visible(). Never decreases with the query.
  std::int64_t first_visible(std::int64_t query) const {
    return std::clamp<std::int64_t>(position(query) - before, 0, visible(query));
  }

 private:
  static constexpr std::int64_t kAll = std::int64_t{1} << 40;  // more than any sentence has
};

}  // namespace yona
