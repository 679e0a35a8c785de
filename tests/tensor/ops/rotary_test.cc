#include "yona/tensor/ops/rotary.h"

#include <cmath>

#include <gtest/gtest.h>

#include "yona/nn/rotary.h"
#include "yona/tensor/ops/add.h"
#include "yona/tensor/ops/attention.h"
#include "yona/tensor/ops/linear.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"
#include "tests/harness/temp_dir.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

constexpr std::int64_t kPositions = 9;

Tensor table_for(const Tensor& x, std::int64_t channels, Context& c) {
  return tensor_of(rotary_table({.channels = channels, .max_positions = kPositions}),
                   {kPositions, channels}, x.dtype(), c.region);
}

struct RotaryVariant {
  std::string name;
  std::int64_t heads, d_k, channels;
  std::vector<std::int32_t> positions;
  std::int64_t other = 0;  // columns after those that are turned
};

std::vector<RotaryVariant> rotary_variants() {
  return {{"all channels", 2, 6, 6, {0, 1, 2, 0, 8}},
          {"some channels", 3, 8, 4, {5, 3}},
          {"one pair", 1, 2, 2, {1}},
          {"no rows", 2, 4, 4, {}},
          {"whole packs", 2, 32, 32, {4, 0, 7}},
          {"columns of a wider product", 3, 16, 16, {0, 1, 2, 3}, 16},
          {"wide heads", 1, 130, 128, {3, 6}}};
}

// x turned in place, after an op that made it, as rotary is used.
OpCase turned(const RotaryVariant& v) {
  return {v.name,
          {{{static_cast<std::int64_t>(v.positions.size()), v.heads * v.d_k + v.other}}},
          [v](const Inputs& x, Context& c) {
            const Tensor y = add(x[0], x[0], c, 0.5F, 0.25F);
            rotary(y.columns(0, v.heads * v.d_k), ids_of(v.positions, c.region),
                   table_for(x[0], v.channels, c), v.d_k, c);
            return Inputs{y};
          }};
}

// A product of each row with the matrix of its rotation.
OpCase multiplied(const RotaryVariant& v) {
  OpCase made = turned(v);
  made.op = [v](const Inputs& x, Context& c) {
    const std::vector<double> table =
        values_of(table_for(x[0], v.channels, c));  // rounded as the other's
    const Tensor y = add(x[0], x[0], c, 0.5F, 0.25F);
    const std::int64_t width = y.cols();
    const std::int64_t half = v.channels / 2;
    Inputs rows;
    for (std::size_t t = 0; t < v.positions.size(); ++t) {
      std::vector<double> matrix(static_cast<std::size_t>(width * width), 0.0);
      const auto at = [&](std::int64_t i, std::int64_t j) -> double& {
        return matrix[static_cast<std::size_t>(i * width + j)];
      };
      for (std::int64_t i = 0; i < width; ++i) {
        at(i, i) = 1.0;
      }
      for (std::int64_t i = 0; i < v.heads * half; ++i) {
        const std::int64_t a = i / half * v.d_k + i % half;
        const auto angle = static_cast<std::size_t>(v.positions[t] * v.channels + i % half);
        at(a, a) = at(a + half, a + half) = table[angle];
        at(a + half, a) = -table[angle + static_cast<std::size_t>(half)];
        at(a, a + half) = table[angle + static_cast<std::size_t>(half)];
      }
      rows.push_back(matmul(y.row_range(static_cast<std::int64_t>(t), 1),
                            tensor_of(matrix, {width, width}, x[0].dtype(), c.region),
                            Transpose::no, c));
    }
    return rows;
  };
  return made;
}

OpCase by_row(OpCase given) {
  const OpFunction whole = given.op;
  given.op = [whole](const Inputs& x, Context& c) {
    const Tensor y = whole(x, c)[0];
    Inputs rows;
    for (std::int64_t i = 0; i < y.rows(); ++i) {
      rows.push_back(y.row_range(i, 1));
    }
    return rows;
  };
  return given;
}

TEST(Rotary, PassesEveryUseOfItsCases) {
  for (const RotaryVariant& variant : rotary_variants()) {
    check_op(turned(variant));
  }
}

TEST(Rotary, IsAProductWithARotation) {
  for (const RotaryVariant& variant : rotary_variants()) {
    if (!variant.positions.empty()) {
      expect_same(by_row(turned(variant)), multiplied(variant));
    }
  }
}

// Between the product that makes Q, K and V and the attention that reads them, in training: the
// gradients of weights and of the bias, whose sums an attention's backward may form, see it.
TEST(Rotary, StandsBetweenAProductAndAttention) {
  check_op({"qkv", {{{5, 4}}, {{24, 4}}, {{24}}}, [](const Inputs& x, Context& c) {
              const auto layout = layout_of({3, 2}, c.region);
              const Tensor qkv = linear(x[0], x[1], x[2], {}, c);
              rotary(qkv.columns(0, 16), layout->positions, table_for(x[0], 4, c), 4, c);
              AttentionOptions options;
              options.heads = 2;
              options.d_k = options.d_v = 4;
              options.scale = 0.5F;
              options.mask = Mask::causal;
              return Inputs{attention(qkv.columns(0, 8), qkv.columns(8, 8), qkv.columns(16, 8),
                                      layout, layout, options, c)};
            }});
}

// A score of a turned query and key depends on their distance alone.
TEST(Rotary, LeavesScoresToDistances) {
  Region region(shared_backend("reference"), 1 << 22);
  Context c{.region = region};
  const auto score = [&](std::int32_t query, std::int32_t key) {
    const Tensor x = tensor_of(random_values(16, 5), {2, 8}, DType::f64, region);
    rotary(x, ids_of({query, key}, region), table_for(x, 8, c), 8, c);
    const std::vector<double> v = values_of(x);
    double sum = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      sum += v[i] * v[8 + i];
    }
    return sum;
  };
  EXPECT_NEAR(score(5, 3), score(2, 0), kExactF64);
  EXPECT_NEAR(score(8, 1), score(7, 0), kExactF64);
  EXPECT_GT(std::abs(score(5, 3) - score(5, 2)), 1e-3);
}

TEST(Rotary, RefusesWhatDoesNotFit) {
  Region region(shared_backend("reference"), 1 << 20);
  Context c{.region = region};
  const Tensor x = c.zeros(DType::f32, {2, 8});
  const Tensor positions = ids_of({0, 1}, region);
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              rotary(x, positions, c.zeros(DType::f32, {4, 3}), 3, c);
            }),
            "rotary: 8 columns are not heads of 3");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              rotary(x, positions, c.zeros(DType::f32, {4, 6}), 4, c);
            }),
            "rotary: a table of 6 columns does not fit heads of 4");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              rotary(x, ids_of({0}, region), c.zeros(DType::f32, {4, 4}), 4, c);
            }),
            "rotary: 1 positions of i32 for 2 rows");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              rotary(x, positions, c.zeros(DType::f64, {4, 4}), 4, c);
            }),
            "rotary: a table of f64 does not fit f32");
}

}  // namespace
}  // namespace yona::testing
