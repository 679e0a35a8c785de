// The cases that tests of attention over ragged batches share: lengths, masks, biases, dropout and
// patterns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yona/tensor/ops/attention.h"

namespace yona::testing {

using Lengths = std::vector<std::int64_t>;

struct AttentionVariant {
  std::string name;
  Lengths queries, keys;
  std::int64_t heads = 2, d_k = 3, d_v = 4;
  Mask mask = Mask::none;
  Lengths prefix{};
  std::int64_t reach = -1;  // R of the bias; -1: none
  double dropout = 0.0;
  AttentionPattern pattern{};

  std::int64_t T_q() const { return total(queries); }
  std::int64_t T_k() const { return total(keys); }
  static std::int64_t total(const Lengths& lengths) {
    std::int64_t sum = 0;
    for (const std::int64_t length : lengths) {
      sum += length;
    }
    return sum;
  }
};

inline std::vector<AttentionVariant> attention_variants() {
  const Lengths few{3, 1, 5};
  return {
      {"none", few, few},
      {"causal", few, few, 2, 3, 4, Mask::causal},
      {"prefix", few, few, 2, 3, 4, Mask::prefix, {2, 0, 9}},
      {"cross", few, {2, 4, 1}},
      {"causal over longer memories", {2, 1, 3}, {4, 1, 7}, 2, 3, 4, Mask::causal},
      {"queries that see nothing", {4, 2}, {2, 2}, 1, 2, 2, Mask::causal},
      {"a sentence without keys", {2, 1}, {0, 3}, 2, 2, 2},
      {"a sentence without queries", {0, 2}, {3, 2}, 2, 2, 2},
      {"no sentence", {}, {}},
      {"one token", {1}, {1}, 1, 1, 1},
      {"bias", few, few, 2, 3, 4, Mask::none, {}, 2},
      {"bias, causal, reach beyond the sentence", few, few, 2, 3, 4, Mask::causal, {}, 6},
      {"bias of one column", few, few, 3, 2, 2, Mask::none, {}, 0},
      {"bias over longer memories", {2, 3}, {5, 3}, 2, 3, 3, Mask::causal, {}, 1},
      {"dropout", few, few, 2, 3, 4, Mask::none, {}, -1, 0.4},
      {"dropout, causal, bias", few, few, 2, 3, 4, Mask::causal, {}, 2, 0.4},
      {"dropout over more heads than a block decides", {3}, {4}, 11, 1, 2, Mask::none, {}, -1, 0.4},
      {"one head, wide", {3, 2}, {3, 2}, 1, 40, 17, Mask::causal},
      {"d_v above d_k", {4}, {4}, 2, 1, 5, Mask::causal}};
}

// Enough keys for several tiles of a kernel; too many for finite differences.
inline std::vector<AttentionVariant> long_attention_variants() {
  return {
      {"long", {130, 1, 70}, {130, 1, 70}, 2, 16, 8},
      {"long, causal", {130, 1, 70}, {130, 1, 70}, 2, 16, 16, Mask::causal},
      {"long, causal, bias and dropout", {130, 70}, {130, 70}, 2, 16, 16, Mask::causal, {}, 9, 0.3},
      {"long, prefix", {130, 70}, {130, 70}, 3, 8, 16, Mask::prefix, {100, 7}},
      {"long memories", {3, 70}, {200, 150}, 2, 32, 32, Mask::none, {}, -1, 0.3}};
}

inline AttentionPattern window_of(std::int64_t before, std::int64_t after,
                                  std::int64_t dilation = 1) {
  AttentionPattern pattern;
  pattern.before = before;
  pattern.after = after;
  pattern.dilation = dilation;
  return pattern;
}

inline AttentionPattern blocks_of(std::int64_t block, std::int64_t neighbours, std::int64_t globals,
                                  std::int64_t randoms, bool earlier) {
  AttentionPattern pattern;
  pattern.block = block;
  pattern.neighbours = neighbours;
  pattern.global_blocks = globals;
  pattern.random_blocks = randoms;
  pattern.seed = 7;
  pattern.earlier = earlier;
  return pattern;
}

inline std::vector<AttentionVariant> pattern_variants() {
  const Lengths few{6, 1, 9};
  const Mask none = Mask::none;
  const Mask causal = Mask::causal;
  return {
      {"window", few, few, 2, 3, 4, none, {}, -1, 0.0, window_of(2, 1)},
      {"window of itself", few, few, 2, 3, 4, causal, {}, -1, 0.0, window_of(0, 0)},
      {"window, causal", few, few, 2, 3, 4, causal, {}, -1, 0.0, window_of(3, 0)},
      {"window, prefix", few, few, 2, 3, 4, Mask::prefix, {4, 0, 5}, -1, 0.0, window_of(3, 2)},
      {"window, bias and dropout", few, few, 2, 3, 4, causal, {}, 2, 0.4, window_of(4, 0)},
      {"window over a cache", {2, 1, 3}, {4, 1, 7}, 2, 3, 4, causal, {}, -1, 0.0, window_of(2, 0)},
      {"dilated", few, few, 2, 3, 4, none, {}, -1, 0.0, window_of(1, 1, 2)},
      {"dilated, causal, dropout", few, few, 2, 3, 4, causal, {}, -1, 0.4, window_of(2, 0, 3)},
      {"dilated over a cache",
       {2, 1, 3},
       {4, 1, 9},
       2,
       3,
       4,
       causal,
       {},
       -1,
       0.0,
       window_of(2, 0, 2)},
      {"blocks", few, few, 2, 3, 4, none, {}, -1, 0.0, blocks_of(4, 0, 0, 0, false)},
      {"blocks, causal, dropout",
       few,
       few,
       2,
       3,
       4,
       causal,
       {},
       -1,
       0.4,
       blocks_of(4, 0, 0, 0, false)},
      {"sparse", {9, 2}, {9, 2}, 2, 3, 4, none, {}, -1, 0.0, blocks_of(1, 1, 1, 1, false)},
      {"sparse, causal", {9, 2}, {9, 2}, 2, 3, 4, causal, {}, 2, 0.0, blocks_of(2, 1, 1, 1, true)},
      {"sparse over a cache",
       {3, 1},
       {9, 4},
       2,
       3,
       4,
       causal,
       {},
       -1,
       0.0,
       blocks_of(2, 0, 1, 2, true)}};
}

inline std::vector<AttentionVariant> long_pattern_variants() {
  const Lengths lengths{300, 1, 70};
  const Mask none = Mask::none;
  const Mask causal = Mask::causal;
  return {
      {"long window", lengths, lengths, 2, 16, 8, none, {}, -1, 0.0, window_of(40, 3)},
      {"long window, causal, dropout",
       lengths,
       lengths,
       2,
       16,
       16,
       causal,
       {},
       -1,
       0.3,
       window_of(99, 0)},
      {"long narrow window", lengths, lengths, 2, 16, 16, causal, {}, -1, 0.0, window_of(5, 0)},
      {"long window over a cache",
       {70, 3},
       {200, 150},
       2,
       16,
       16,
       causal,
       {},
       9,
       0.3,
       window_of(64, 0)},
      {"long dilated", lengths, lengths, 2, 16, 16, none, {}, -1, 0.3, window_of(20, 20, 3)},
      {"long blocks", lengths, lengths, 2, 16, 8, none, {}, -1, 0.0, blocks_of(50, 0, 0, 0, false)},
      {"long sparse",
       lengths,
       lengths,
       2,
       16,
       16,
       none,
       {},
       -1,
       0.3,
       blocks_of(16, 1, 1, 2, false)},
      {"long sparse, causal, bias",
       lengths,
       lengths,
       2,
       16,
       16,
       causal,
       {},
       9,
       0.0,
       blocks_of(33, 1, 1, 1, true)}};
}

}  // namespace yona::testing
