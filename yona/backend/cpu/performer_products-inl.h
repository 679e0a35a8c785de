// Products of attention by random features (performer_head-inl.h): tokens of a chunk with the
// state, tokens with each other in pairs, and pairs with the tokens. Each serves forward and
// backward passes, which differ in what the rows are. Once per instruction set.

#if defined(YONA_BACKEND_CPU_PERFORMER_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef YONA_BACKEND_CPU_PERFORMER_PRODUCTS_INL_H_
#undef YONA_BACKEND_CPU_PERFORMER_PRODUCTS_INL_H_
#else
#define YONA_BACKEND_CPU_PERFORMER_PRODUCTS_INL_H_
#endif

#include <cstdint>

#include "yona/backend/cpu/performer_chunk-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona::cpu::HWY_NAMESPACE {

// A row for each token of a chunk, or for each channel of a state: `columns` numbers in `wide`,
// which are whole vectors.
struct PerformerRows {
  float* data = nullptr;
  std::int64_t wide = 0, columns = 0;
};

// to ← rows, each times its factor
inline void scale_rows(const PerformerRows& rows, const float* factors, std::int64_t count,
                       float* to) {
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t c = 0; c < rows.wide; ++c) {
      to[i * rows.wide + c] = factors[i] * rows.data[i * rows.wide + c];
    }
  }
}

// to ← rows · state, each row times its factor
inline void multiply_by_state(const PerformerRows& rows, const float* state, const float* factors,
                              std::int64_t count, const PerformerRows& to) {
  whole_product({.a = rows.data,
                 .a_row = rows.wide,
                 .b = state,
                 .b_row = to.wide,
                 .c = to.data,
                 .c_row = to.wide},
                count, rows.columns, to.wide);
  scale_rows(to, factors, count, to.data);
}

// state ← decay · state + aᵀ b, of `count` tokens
inline void add_to_state(float decay, const PerformerRows& a, const PerformerRows& b,
                         std::int64_t count, float* state) {
  for (std::int64_t i = 0; i < a.columns * b.wide; ++i) {
    state[i] *= decay;
  }
  whole_product({.a = a.data,
                 .a_row = 1,
                 .a_column = a.wide,
                 .b = b.data,
                 .b_row = b.wide,
                 .c = state,
                 .c_row = b.wide,
                 .accumulate = true},
                a.columns, count, b.wide);
}

// pairs [chunk, chunk] ← (a bᵀ) ∘ factors; `transposed` has room for bᵀ.
inline void multiply_pairs(const PerformerRows& a, const PerformerRows& b, const float* factors,
                           std::int64_t count, float* transposed, float* pairs) {
  transpose_chunk(b.data, b.wide, count, b.columns, transposed);
  whole_product({.a = a.data,
                 .a_row = a.wide,
                 .b = transposed,
                 .b_row = kPerformerChunk,
                 .c = pairs,
                 .c_row = kPerformerChunk},
                count, a.columns, kPerformerChunk);
  for (std::int64_t i = 0; i < count * kPerformerChunk; ++i) {
    pairs[i] *= factors[i];
  }
}

enum class SumsOf : bool { queries, keys };

// to ← to + pairs · rows for sums of queries, pairsᵀ · rows for those of keys
inline void add_pairs(const float* pairs, SumsOf sums, const PerformerRows& rows,
                      std::int64_t count, const PerformerRows& to) {
  const bool is_transposed = sums == SumsOf::keys;
  whole_product({.a = pairs,
                 .a_row = is_transposed ? 1 : kPerformerChunk,
                 .a_column = is_transposed ? kPerformerChunk : 1,
                 .b = rows.data,
                 .b_row = rows.wide,
                 .c = to.data,
                 .c_row = to.wide,
                 .accumulate = true},
                count, count, to.wide);
}

}  // namespace yona::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
