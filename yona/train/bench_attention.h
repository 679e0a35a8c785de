// Time and memory of attention against the length of a sentence: `yona bench attention`.
#pragma once

#include <cstdint>

#include "yona/base/json.h"

namespace yona {

struct AttentionBenchOptions {
  std::int64_t length = 1024;  // of the one sentence
  std::int64_t heads = 8;
  std::int64_t width = 64;  // d_k and d_v
  bool causal = false;
  std::int64_t window =
      0;  // keys that a query sees, half of them later without a causal mask; 0: all
  std::int64_t steps = 3;  // timed; one goes before them, unless it takes seconds
  int threads = 0;
};

// Forward and backward on the CPU, in f32, without dropout. One object: length, window, ms_forward,
// ms_backward (medians), gflops (of the products alone: two forward, five backward), step_mb (all
// tensors) and resident_mb (what the process grew by, kernels' scratch included; null where the
// system does not tell).
Json bench_attention(const AttentionBenchOptions& options);

}  // namespace yona
