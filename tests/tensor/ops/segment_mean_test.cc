#include "yona/tensor/ops/segment_mean.h"

#include <gtest/gtest.h>

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"

namespace yona::testing {
namespace {

struct MeanVariant {
  std::string name;
  std::vector<std::int64_t> lengths;
  std::int64_t d;

  std::int64_t tokens() const {
    std::int64_t sum = 0;
    for (const std::int64_t length : lengths) {
      sum += length;
    }
    return sum;
  }
};

std::vector<MeanVariant> mean_variants() {
  return {{"some", {3, 1, 4}, 5},     {"sequences without rows", {0, 2, 0, 3, 0}, 3},
          {"no sequence", {}, 4},     {"one element", {1}, 1},
          {"wide rows", {2, 1}, 301}, {"more rows than a block has warps", {20, 9}, 17}};
}

OpCase mean_case(const MeanVariant& v) {
  return {v.name, {{{v.tokens(), v.d}}}, [v](const Inputs& x, Context& c) {
            return Inputs{segment_mean({x[0], layout_of(v.lengths, c.region)}, c)};
          }};
}

// A product with the matrix of shares.
OpCase shared_case(const MeanVariant& v) {
  OpCase made = mean_case(v);
  made.op = [v](const Inputs& x, Context& c) {
    const auto n = static_cast<std::int64_t>(v.lengths.size());
    std::vector<double> shares(static_cast<std::size_t>(n * v.tokens()), 0.0);
    std::int64_t token = 0;
    for (std::int64_t s = 0; s < n; ++s) {
      const std::int64_t length = v.lengths[static_cast<std::size_t>(s)];
      for (std::int64_t i = 0; i < length; ++i, ++token) {
        shares[static_cast<std::size_t>(s * v.tokens() + token)] =
            1.0 / static_cast<double>(length);
      }
    }
    return Inputs{
        matmul(tensor_of(shares, {n, v.tokens()}, x[0].dtype(), c.region), x[0], Transpose::no, c)};
  };
  return made;
}

TEST(SegmentMean, PassesEveryUseOfItsCases) {
  for (const MeanVariant& variant : mean_variants()) {
    check_op(mean_case(variant));
  }
}

TEST(SegmentMean, EqualsAProductWithShares) {
  for (const MeanVariant& variant : mean_variants()) {
    if (variant.tokens() > 0) {
      expect_same(mean_case(variant), shared_case(variant));
    }
  }
}

}  // namespace
}  // namespace yona::testing
