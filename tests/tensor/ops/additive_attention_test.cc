// Additive attention: tanh(q + k) · v instead of q · k. What is refused is in attention_test.cc.
#include <gtest/gtest.h>

#include "tests/tensor/ops/attention_case.h"

namespace yona::testing {
namespace {

OpCase additive(const AttentionVariant& variant) {
  OpCase made = fused_attention(variant);
  made.inputs.push_back({{variant.heads, variant.d_k}});
  made.op = [variant](const Inputs& x, Context& c) {
    const Tensor out =
        additive_attention(x[0], x[1], x[2], x[3], layout_of(variant.queries, c.region),
                           layout_of(variant.keys, c.region), options_of(variant, x, c), c);
    Inputs parts;
    for_each_part(
        variant, [&](std::size_t s, std::int64_t head, std::int64_t q, std::int64_t /*k*/) {
          parts.push_back(
              out.row_range(q, variant.queries[s]).columns(head * variant.d_v, variant.d_v));
        });
    return parts;
  };
  return made;
}

// tanh(q_i + k_j) for all pairs by one-hot products, then a product with the vector.
Tensor additive_scores(const Part& part, const Tensor& Q, const Tensor& K, const Tensor& vector,
                       Context& c) {
  const std::int64_t pairs = part.n * part.m;
  std::vector<double> query_of(static_cast<std::size_t>(pairs * part.n), 0.0);
  std::vector<double> key_of(static_cast<std::size_t>(pairs * part.m), 0.0);
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    query_of[static_cast<std::size_t>(pair * part.n + pair / part.m)] = 1.0;
    key_of[static_cast<std::size_t>(pair * part.m + pair % part.m)] = 1.0;
  }
  const DType dtype = Q.dtype();
  const Tensor q =
      matmul(tensor_of(query_of, {pairs, part.n}, dtype, c.region), Q, Transpose::no, c);
  const Tensor k = matmul(tensor_of(key_of, {pairs, part.m}, dtype, c.region), K, Transpose::no, c);
  const Tensor t = tanh_of(add(q, k, c), c);  // [n·m, d_k]
  return matmul(t, vector.row_range(part.head, 1), Transpose::yes, c).reshape({part.n, part.m});
}

std::vector<AttentionVariant> variants_without_bias() {
  std::vector<AttentionVariant> some = attention_variants();
  std::erase_if(some, [](const AttentionVariant& variant) { return variant.reach >= 0; });
  return some;
}

TEST(AdditiveAttention, PassesEveryUseOfItsCases) {
  for (const AttentionVariant& variant : variants_without_bias()) {
    check_op(additive(variant));
  }
}

TEST(AdditiveAttention, EqualsItsComposition) {
  for (const AttentionVariant& variant : variants_without_bias()) {
    expect_same(additive(variant),
                composed(additive(variant), variant,
                         [](const Part& part, const Tensor& Q, const Tensor& K, const Inputs& x,
                            Context& c) { return additive_scores(part, Q, K, x[3], c); }));
  }
}

}  // namespace
}  // namespace yona::testing
