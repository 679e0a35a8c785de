// What ops never ask the attention kernel for and looking inside does: the weights themselves.

#include <gtest/gtest.h>

#include "yona/tensor/ops/softmax.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"

namespace yona::testing {
namespace {

TEST(ReferenceAttention, WritesEveryWeightOfEveryHead) {
  Region region(shared_backend("reference"), 1 << 20);
  soil(region, 1 << 16);
  Context c{.region = region};
  const auto queries = layout_of({2, 1}, region);
  const auto keys = layout_of({3, 2}, region);
  const Tensor q = tensor_of(random_values(3 * 4, 1), {3, 4}, DType::f64, region);
  const Tensor k = tensor_of(random_values(5 * 4, 2), {5, 4}, DType::f64, region);
  const Tensor v = tensor_of(random_values(5 * 4, 3), {5, 4}, DType::f64, region);
  const Tensor out(region, DType::f64, {3, 4});
  const Tensor lse(region, DType::f64, {3, 2});
  const Tensor weights(region, DType::f64, {2 * 3 + 1 * 2, 2});
  c.kernels().attention({.q = q.view(),
                         .k = k.view(),
                         .v = v.view(),
                         .out = out.view(),
                         .lse = lse.view(),
                         .q_offsets = queries->offsets_data(),
                         .k_offsets = keys->offsets_data(),
                         .sentences = 2,
                         .longest_q = 2,
                         .longest_k = 3,
                         .heads = 2,
                         .d_k = 2,
                         .d_v = 2,
                         .mask = Mask::causal,
                         .weights = weights.view()},
                        c.exec());
  const std::vector<double> p = values_of(weights);
  const std::vector<double> o = values_of(out);
  const std::vector<double> V = values_of(v);
  EXPECT_EQ(p[2 * 2 + 0], 0.0);  // the first query does not see the third key
  EXPECT_EQ(p[2 * 2 + 1], 0.0);
  const auto expect_query = [&](std::size_t query, std::size_t row, std::size_t key,
                                std::size_t count) {
    for (std::size_t head = 0; head < 2; ++head) {
      double sum = 0;
      double first = 0;
      for (std::size_t j = 0; j < count; ++j) {
        const double weight = p[(row + j) * 2 + head];
        sum += weight;
        first += weight * V[(key + j) * 4 + head * 2];
      }
      EXPECT_NEAR(sum, 1.0, 1e-12);
      EXPECT_NEAR(o[query * 4 + head * 2], first, 1e-12);
    }
  };
  expect_query(0, 0, 0, 3);
  expect_query(1, 3, 0, 3);
  expect_query(2, 6, 3, 2);
}

}  // namespace
}  // namespace yona::testing
