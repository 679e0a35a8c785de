// Dropout's decisions of attention as a GPU has them: a bit for each head, query and key. Those of
// sentences of up to 256 tokens are kept from forward to backward on Hopper
// (cuda/attention/head_per_block.cuh); here is what the planning of memory has to know.
#pragma once

#include <algorithm>
#include <cstdint>

#include "yona/backend/kernel_args.h"

namespace yona {

// Words of 32 keys, for heads in groups of eight, with space for a tile of queries that reaches
// beyond the last.
inline std::int64_t attention_keep_mask_words(const AttentionArgs& args) {
  return (args.heads + 7) / 8 * 8 * ((args.longest_k + 31) / 32) * (args.q.rows + 64);
}

// Of a call whose rows can be read 16 bytes at a time.
inline std::int64_t attention_keep_mask_bytes(const AttentionArgs& args) {
  const std::int64_t longest = std::max(args.longest_q, args.longest_k);
  const bool kept = args.dropout && args.q.dtype == DType::bf16 && args.d_k == args.d_v &&
                    (args.d_k == 32 || args.d_k == 64) && args.heads_per_kv == 1 && !args.bias &&
                    !args.pattern && args.scale > 0.0F && longest > 64 && longest <= 256;
  return kept ? 4 * attention_keep_mask_words(args) : 0;
}

}  // namespace yona
