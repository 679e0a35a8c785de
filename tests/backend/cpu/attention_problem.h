// Attention with random inputs for the tests of CPU kernels: dot-product and additive attention,
// forward and backward, in the form that expect_like_reference() takes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/backend/cpu/kernel_test.h"

namespace yona::test {

using Lengths = std::vector<std::int64_t>;

struct AttentionShape {
  Lengths queries, keys;  // of each sentence
  std::int64_t heads = 2, d_k = 16, d_v = 16;
  std::int64_t heads_per_kv = 1;
  Mask mask = Mask::none;
  Lengths prefix = {};
  std::int64_t reach = -1;  // of the bias; below zero there is none
  double dropout = 0;
  std::int64_t padding = 0;  // between the rows of every matrix
  double magnitude = 1.0;    // of queries and keys
  bool accumulate_dq = false, accumulate_dk = false, accumulate_dv = false;
};

inline Lengths offsets_of(const Lengths& lengths) {
  Lengths offsets = {0};
  for (const std::int64_t length : lengths) {
    offsets.push_back(offsets.back() + length);
  }
  return offsets;
}

// The forward pass; `vector` is for additive attention.
struct AttentionProblem {
  explicit AttentionProblem(const AttentionShape& s)
      : shape(s),
        q_offsets(offsets_of(s.queries)),
        k_offsets(offsets_of(s.keys)),
        keys_of_rows(row_keys(q_offsets.back())),
        q(Matrix::random(q_offsets.back(), s.heads * s.d_k, 1, s.padding, s.magnitude)),
        k(Matrix::random(k_offsets.back(), s.heads / s.heads_per_kv * s.d_k, 2, s.padding,
                         s.magnitude)),
        v(Matrix::random(k_offsets.back(), s.heads / s.heads_per_kv * s.d_v, 3, s.padding)),
        bias(Matrix::random(s.heads, std::max<std::int64_t>(2 * s.reach + 1, 0), 4)),
        vector(Matrix::random(s.heads, s.d_k, 5)),
        out(q_offsets.back(), s.heads * s.d_v, s.padding),
        lse(q_offsets.back(), s.heads, s.padding) {}

  AttentionArgs args() {
    const auto longest = [](const Lengths& lengths) {
      return lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
    };
    return {.q = q.view(),
            .k = k.view(),
            .v = v.view(),
            .out = out.view(),
            .lse = lse.view(),
            .q_offsets = q_offsets.data(),
            .k_offsets = k_offsets.data(),
            .sentences = static_cast<std::int64_t>(shape.queries.size()),
            .longest_q = longest(shape.queries),
            .longest_k = longest(shape.keys),
            .heads = shape.heads,
            .heads_per_kv = shape.heads_per_kv,
            .d_k = shape.d_k,
            .d_v = shape.d_v,
            .scale = 1.0F / std::sqrt(static_cast<float>(shape.d_k)),
            .mask = shape.mask,
            .prefix = shape.prefix.data(),
            .bias = shape.reach < 0 ? View{} : bias.view(),
            .q_keys = keys_of_rows.data(),
            .dropout = Dropout::with(shape.dropout, 0x0123456789ABCDEF, 0xFFFFFFFF)};
  }
  std::vector<Matrix*> outputs() { return {&out, &lse}; }

  AttentionShape shape;
  Lengths q_offsets, k_offsets;
  std::vector<std::uint64_t> keys_of_rows;
  Matrix q, k, v, bias, vector, out, lse;
};

struct AdditiveProblem : AttentionProblem {
  using AttentionProblem::AttentionProblem;
  AdditiveAttentionArgs args() { return {AttentionProblem::args(), vector.view()}; }
};

// The backward pass, with out and lse as the reference's forward pass leaves them.
struct AttentionBackwardProblem : AttentionProblem {
  explicit AttentionBackwardProblem(const AttentionShape& s)
      : AttentionProblem(s),
        dout(Matrix::random(out.rows(), out.cols(), 6, s.padding)),
        dq(Matrix::random(q.rows(), q.cols(), 7, s.padding)),
        dk(Matrix::random(k.rows(), k.cols(), 8, s.padding)),
        dv(Matrix::random(v.rows(), v.cols(), 9, s.padding)),
        dbias(Matrix::random(bias.rows(), bias.cols(), 10)),
        dvector(Matrix::random(vector.rows(), vector.cols(), 11)) {
    reference_kernels().attention(AttentionProblem::args(), one_thread());
  }
  AttentionBackwardArgs args() {
    return {.forward = AttentionProblem::args(),
            .dout = dout.view(),
            .dq = dq.view(),
            .dk = dk.view(),
            .dv = dv.view(),
            .accumulate_dq = shape.accumulate_dq,
            .accumulate_dk = shape.accumulate_dk,
            .accumulate_dv = shape.accumulate_dv,
            .dbias = shape.reach < 0 ? View{} : dbias.view()};
  }
  std::vector<Matrix*> outputs() { return {&dq, &dk, &dv, &dbias}; }

  Matrix dout, dq, dk, dv, dbias, dvector;
};

struct AdditiveBackwardProblem : AttentionBackwardProblem {
  explicit AdditiveBackwardProblem(const AttentionShape& s) : AttentionBackwardProblem(s) {
    reference_kernels().additive_attention({AttentionProblem::args(), vector.view()}, one_thread());
  }
  AdditiveAttentionBackwardArgs args() {
    return {AttentionBackwardProblem::args(), vector.view(), dvector.view()};
  }
  std::vector<Matrix*> outputs() { return {&dq, &dk, &dv, &dvector}; }
};

// Attention by random features: 21 of them.
struct PerformerProblem : AttentionProblem {
  explicit PerformerProblem(const AttentionShape& s)
      : AttentionProblem(s), features(Matrix::random(21, s.d_k, 12)) {}
  PerformerAttentionArgs args() { return {AttentionProblem::args(), features.view()}; }

  Matrix features;
};

struct PerformerBackwardProblem : AttentionBackwardProblem {
  explicit PerformerBackwardProblem(const AttentionShape& s)
      : AttentionBackwardProblem(s), features(Matrix::random(21, s.d_k, 12)) {
    reference_kernels().performer_attention({AttentionProblem::args(), features.view()},
                                            one_thread());
  }
  PerformerAttentionBackwardArgs args() {
    return {AttentionBackwardProblem::args(), features.view()};
  }
  std::vector<Matrix*> outputs() { return {&dq, &dk, &dv}; }

  Matrix features;
};

}  // namespace yona::test
