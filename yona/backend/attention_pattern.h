// AttentionPattern: which keys a query sees of those that the mask allows, for attention whose cost
// is linear in the tokens. Two forms, both over positions in the sentence:
//
//   window        key j of query i when i - before·dilation ≤ j ≤ i + after·dilation and
//                 j ≡ i mod dilation (sliding: dilation 1; Longformer, Beltagy et al. 2020)
//   block list    tokens are cut into blocks of `block`; query block a sees key block b when
//                 |a - b| ≤ neighbours (0: fixed blocks), or one of the two is among the first
//                 `global_blocks`, or b is one of the `random_blocks` that were drawn for a
//                 (BigBird, Zaheer et al. 2020)
//
// Random blocks are drawn from all blocks of the sentence, under a causal mask from those before a:
// then they do not depend on what comes later. Kernels skip whole tiles that no query sees.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define YONA_HOST_DEVICE __host__ __device__
#else
#define YONA_HOST_DEVICE
#endif

namespace yona {

struct AttentionPattern {
  std::int64_t before = -1;   // steps of the window; -1: there is no window
  std::int64_t after = 0;     // with a window
  std::int64_t dilation = 1;  // with a window: tokens of a step
  std::int64_t block = 0;     // tokens of a block; 0: there is no block list
  std::int64_t neighbours = 0;
  std::int64_t global_blocks = 0;
  std::int64_t random_blocks = 0;
  std::uint64_t seed = 0;  // of the random blocks
  bool earlier = false;    // random blocks come from those before the query's
  // Of a part of a sentence that has every step-th token of it, from `phase` on: how a dilated
  // window may be computed. Token n of the part is token phase + n · step for dropout.
  std::int64_t phase = 0, step = 1;

  explicit YONA_HOST_DEVICE operator bool() const { return has_window() || has_blocks(); }
  YONA_HOST_DEVICE bool has_window() const { return before >= 0; }
  YONA_HOST_DEVICE bool has_blocks() const { return block > 0; }

  // Is key block b listed for query block a, in a sentence with that number of blocks?
  YONA_HOST_DEVICE bool lists(std::int64_t a, std::int64_t b, std::int64_t blocks) const {
    const std::int64_t distance = a < b ? b - a : a - b;
    if (distance <= neighbours || a < global_blocks || b < global_blocks) {
      return true;
    }
    const std::int64_t from = earlier ? a : blocks;
    for (std::int64_t draw = 0; draw < random_blocks && from > 0; ++draw) {
      const std::uint64_t number = drawn(static_cast<std::uint64_t>(a * random_blocks + draw));
      if (static_cast<std::int64_t>(number % static_cast<std::uint64_t>(from)) == b) {
        return true;
      }
    }
    return false;
  }

  // Does the query at position i see the key at position j, in a sentence with that many keys?
  YONA_HOST_DEVICE bool sees(std::int64_t i, std::int64_t j, std::int64_t keys) const {
    if (has_window()) {
      return j >= i - before * dilation && j <= i + after * dilation && (i - j) % dilation == 0;
    }
    return !has_blocks() || lists(i / block, j / block, (keys + block - 1) / block);
  }

 private:
  // The finaliser of SplitMix64.
  YONA_HOST_DEVICE std::uint64_t drawn(std::uint64_t index) const {
    std::uint64_t z = seed + 0x9E3779B97F4A7C15U * (index + 1);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
};

}  // namespace yona
