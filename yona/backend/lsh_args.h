// What kernels are given: attention by locality-sensitive hashing (Kitaev et al. 2020, "Reformer:
// The Efficient Transformer"). Conventions are in kernel_args.h. Matrices have a row for each head
// of each token, row t · heads + head.
//
// A token is hashed in several rounds. In each, a bucket's tokens are cut, in their order, into
// chunks; a token sees those of its own chunk and of the chunk before, of the same bucket. What it
// sees in any round, it sees once; itself, where it sees nothing else. So under a causal mask
// nothing depends on later tokens: the paper cuts the chunks across buckets, where it does.
#pragma once

#include <cstdint>

#include "yona/backend/view.h"

namespace yona {

// h(x) = argmax([xR; -xR]) for each round (Andoni et al. 2015), the first of equals.
struct LshBucketsArgs {
  View x{};          // [N, d]
  View rotations{};  // [rounds · buckets / 2, d]
  View buckets{};    // [N, rounds]: numbers in the type of x
};

// For each round and head, tokens [T] sorted by sentence, bucket and position, and where the bucket
// of a token begins and ends there. All i32 [rounds · heads, T].
struct LshOrder {
  std::int32_t* order = nullptr;  // the token at a place
  std::int32_t* place = nullptr;  // the place of a token
  std::int32_t* begin = nullptr;  // the first place of a token's bucket
  std::int32_t* end = nullptr;    // the place after its last
  std::int64_t tokens = 0;
};

struct LshOrderArgs {
  View buckets{};  // [T · heads, rounds]
  std::int64_t heads = 1;
  std::int64_t count = 2;                 // of buckets
  const std::int64_t* offsets = nullptr;  // [sentences + 1]
  std::int64_t sentences = 0;
  LshOrder order{};
};

// out_i = Σ_j p_ij v_j over the keys that query i sees, p = softmax(scale · q_i · k_j).
struct LshAttentionArgs {
  View q{}, k{}, v{};  // [T_q · heads, d_k], [T · heads, d_k], [T · heads, d_v]
  View out{};          // [T_q · heads, d_v]
  View lse{};          // [T_q · heads, 1]: log of the denominator
  LshOrder order{};
  std::int64_t first = 0;  // the token that query 0 is; the queries follow each other
  std::int64_t heads = 1;
  std::int64_t rounds = 1;
  std::int64_t chunk = 1;
  float scale = 1.0F;
  bool causal = false;
};

// With p from lse and D_i = dout_i · out_i:  ds_ij = p_ij (dout_i · v_j - D_i);
//   dq_i (+)= scale Σ_j ds_ij k_j;  dk_j (+)= scale Σ_i ds_ij q_i;  dv_j (+)= Σ_i p_ij dout_i
// All tokens are queries.
struct LshAttentionBackwardArgs {
  LshAttentionArgs forward{};
  View dout{};
  View dq{}, dk{}, dv{};
  View products{};  // [T · heads, 1]: room for D
  bool accumulate_dq = false, accumulate_dk = false, accumulate_dv = false;
};

// Which rows of a cache the newest token of each sequence sees: the table of CachedAttentionArgs
// for a query of one head in each row. The tokens of row r are the rows that table, first and
// counts give, as there; with places, places[r] after them, and none where that is -1.
struct LshTableArgs {
  View buckets{};  // [N · heads, rounds]: of the cache's rows
  const std::int32_t* table = nullptr;
  std::int64_t table_stride = 0;
  const std::int64_t* first = nullptr;
  const std::int32_t* counts = nullptr;
  const std::int32_t* places = nullptr;  // optional
  std::int64_t rows = 0;
  std::int64_t heads = 1;
  std::int64_t chunk = 1;
  std::int32_t* seen = nullptr;         // [rows · heads, most]: row of the cache · heads + head
  std::int32_t* seen_counts = nullptr;  // [rows · heads]
  std::int64_t most = 0;                // at least 2 · chunk · rounds
};

}  // namespace yona
