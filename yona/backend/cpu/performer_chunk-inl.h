// What attention by random features is made of (performer_attention.cc): the features of a chunk of
// tokens, exponentials that cannot overflow, and memory for a chunk. Once per instruction set.

#if defined(YONA_BACKEND_CPU_PERFORMER_CHUNK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef YONA_BACKEND_CPU_PERFORMER_CHUNK_INL_H_
#undef YONA_BACKEND_CPU_PERFORMER_CHUNK_INL_H_
#else
#define YONA_BACKEND_CPU_PERFORMER_CHUNK_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "yona/backend/cpu/attention_pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona::cpu::HWY_NAMESPACE {

using yona::HWY_NAMESPACE::fast_exp;
using yona::HWY_NAMESPACE::max_of_lanes;
using yona::HWY_NAMESPACE::or_else;

inline constexpr std::int64_t kPerformerChunk = 64;  // tokens; whole vectors
inline constexpr float kSmallestSum = 1e-30F;        // of weights that a query divides by

// ω times √scale, either way round, with rows of whole vectors.
struct PerformerFeatures {
  std::int64_t count = 0, wide = 0;   // m, rounded up
  std::int64_t d_k = 0, wide_k = 0;   // channels, rounded up
  const float* rows = nullptr;        // [count, wide_k]
  const float* transposed = nullptr;  // [d_k, wide]
};

inline PerformerFeatures packed_features(const View& features, const float* packed) {
  const std::int64_t wide_k = round_up(features.cols);
  return {features.rows, round_up(features.rows),        features.cols, wide_k,
          packed,        packed + features.rows * wide_k};
}

// Where packed_features() finds them.
inline const float* pack_features(const View& features, float scale, Scratch<float>& scratch) {
  const std::int64_t wide = round_up(features.rows);
  const std::int64_t wide_k = round_up(features.cols);
  const std::int64_t elements = features.rows * wide_k + features.cols * wide;
  float* rows = elements_of(scratch, elements);
  float* transposed = rows + features.rows * wide_k;
  std::fill_n(rows, elements, 0.0F);
  const float root = std::sqrt(scale);
  for (std::int64_t r = 0; r < features.rows; ++r) {
    for (std::int64_t c = 0; c < features.cols; ++c) {
      const float omega = root * features.row<float>(r)[c];
      rows[r * wide_k + c] = omega;
      transposed[c * wide + r] = omega;
    }
  }
  return rows;
}

// C [rows, columns] (+)= A · B over k; columns are whole vectors.
inline void whole_product(const Product& of, std::int64_t rows, std::int64_t k,
                          std::int64_t columns) {
  multiply(of, rows, columns / kLanes, [k](std::int64_t, std::int64_t) {
    return ProductRange{.k_begin = 0, .k_end = k, .vector_begin = 0};
  });
}

// to[i] ← e^(x[i] - largest)
HWY_INLINE void exponentials_below(const float* x, float largest, std::int64_t count, float* to) {
  const Floats d;
  const Vector shift = hn::Set(d, largest);
  for_each_vector(d, count, [&](std::int64_t i, auto part) YONA_INLINE_LAMBDA {
    store(d, fast_exp(d, hn::Sub(load(d, x + i, part), shift)), to + i, part);
  });
}

// to [rows, wide] ← exp(ω·x' - its largest), tops ← these. Columns beyond the features are zero.
HWY_INLINE void features_of(const PerformerFeatures& features, const HeadRows& x, float* to,
                            float* tops) {
  whole_product({.a = x.data,
                 .a_row = x.stride,
                 .b = features.transposed,
                 .b_row = features.wide,
                 .c = to,
                 .c_row = features.wide},
                x.rows, features.d_k, features.wide);
  const Floats d;
  for (std::int64_t i = 0; i < x.rows; ++i) {
    float* row = to + i * features.wide;
    Vector largest = hn::Set(d, row[0]);
    for_each_vector(d, features.count, [&](std::int64_t r, auto part) YONA_INLINE_LAMBDA {
      largest = hn::Max(largest, or_else(d, load(d, row + r, part), largest, part));
    });
    tops[i] = max_of_lanes(d, largest);
    exponentials_below(row, tops[i], features.count, row);
    std::fill(row + features.count, row + features.wide, 0.0F);
  }
}

// tops[j] -= |k'_j|²/2
inline void subtract_half_squares(const HeadRows& keys, float scale, float* tops) {
  for (std::int64_t j = 0; j < keys.rows; ++j) {
    const float* k = keys.data + j * keys.stride;
    float square = 0;
    for (std::int64_t c = 0; c < keys.columns; ++c) {
      square += k[c] * k[c];
    }
    tops[j] -= scale * square / 2;
  }
}

// to [columns, kPerformerChunk] ← fromᵀ; rows that are not there are zero.
inline void transpose_chunk(const float* from, std::int64_t from_row, std::int64_t rows,
                            std::int64_t columns, float* to) {
  for (std::int64_t c = 0; c < columns; ++c) {
    for (std::int64_t i = 0; i < kPerformerChunk; ++i) {
      to[c * kPerformerChunk + i] = i < rows ? from[i * from_row + c] : 0.0F;
    }
  }
}

// Matrices of a chunk and the state, with rows of whole vectors.
struct PerformerBuffers {
  float *phi, *psi, *d_features;              // [chunk, wide]
  float *values, *scaled, *sums, *gradients;  // [chunk, wide_v]
  float* d_rows;                              // [chunk, wide_k]
  float *weights, *pairs, *factors;           // [chunk, chunk]
  float *psi_transposed, *values_transposed;  // [wide or wide_v, chunk]
  float *state, *state_transposed;            // [wide, wide_v] and the other way round
  float *key_tops, *query_tops, *maxima, *decays, *row_factors;  // [chunk]

  void resize(const PerformerFeatures& features, std::int64_t wide_v) {
    const std::int64_t n = kPerformerChunk;
    float* next = elements_of(memory_, n * (4 * features.wide + 5 * wide_v + features.wide_k) +
                                           3 * n * n + 2 * features.wide * wide_v + 5 * n);
    const auto take = [&next](std::int64_t count) {
      float* taken = next;
      next += count;
      return taken;
    };
    for (float** rows : {&phi, &psi, &d_features, &psi_transposed}) {
      *rows = take(n * features.wide);
    }
    for (float** rows : {&values, &scaled, &sums, &gradients, &values_transposed}) {
      *rows = take(n * wide_v);
    }
    d_rows = take(n * features.wide_k);
    for (float** rows : {&weights, &pairs, &factors}) {
      *rows = take(n * n);
    }
    for (float** rows : {&state, &state_transposed}) {
      *rows = take(features.wide * wide_v);
    }
    for (float** row : {&key_tops, &query_tops, &maxima, &decays, &row_factors}) {
      *row = take(n);
    }
  }

 private:
  Scratch<float> memory_;
};

}  // namespace yona::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
