// The task of the study of forgetting: one symbol of another alphabet, with the same number of
// noise symbols before and behind it. The target is that symbol. A network that reads from either
// end has `distance` tokens between the symbol and where it ends.
#pragma once

#include "yona/data/batch.h"

namespace yona {

inline constexpr std::int64_t kNoiseSymbols = 16;  // ids 1 …
inline constexpr std::int64_t kOddSymbols = 16;    // the ids after them; then <pad>
inline constexpr std::int32_t kFirstOddSymbol = 1 + kNoiseSymbols;

// `count` pairs with distances drawn from [nearest, farthest]; the same for the same key. The odd
// symbols take turns.
Batch odd_symbol_batch(std::int64_t count, std::int64_t nearest, std::int64_t farthest,
                       std::uint64_t key);

}  // namespace yona
