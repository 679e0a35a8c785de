#include "yona/tensor/ops/apply_lambdas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using Lengths = std::vector<std::int64_t>;

struct LambdaVariant {
  std::string name;
  Lengths lengths;
  std::int64_t reach = 1, heads = 2, kv_heads = 0, d_k = 3, d_v = 4;

  std::int64_t tokens() const {
    std::int64_t sum = 0;
    for (const std::int64_t length : lengths) {
      sum += length;
    }
    return sum;
  }
  std::int64_t values() const { return (kv_heads > 0 ? kv_heads : heads) * d_v; }
};

std::vector<LambdaVariant> lambda_variants() {
  return {{"few", {3, 1, 5}},
          {"no window", {3, 1, 5}, 0},
          {"a window wider than the sentences", {4, 2}, 7},
          {"heads that share values", {3, 4}, 2, 4, 2},
          {"all heads share values", {5}, 1, 3, 1, 2, 5},
          {"empty sentences", {0, 3, 0}, 1},
          {"no sentence", {}},
          {"one token", {1}, 2, 1, 0, 1, 1}};
}

OpCase lambda_case(const LambdaVariant& v) {
  const auto sentences = static_cast<std::int64_t>(v.lengths.size());
  return {v.name,
          {{{v.tokens(), v.heads * v.d_k}},
           {{sentences * v.d_k, v.values()}},
           {{v.tokens(), v.values()}},
           {{2 * v.reach + 1, v.d_k}}},
          [v](const Inputs& x, Context& c) {
            return Inputs{apply_lambdas({x[0], layout_of(v.lengths, c.region)}, x[1], x[2], x[3],
                                        {v.heads, v.kv_heads, v.d_k, v.d_v}, c)};
          }};
}

// λ of each token and head as a matrix, as the paper has it, and its product with the query.
std::vector<double> dense_lambdas(const LambdaVariant& v, const std::vector<double>& q,
                                  const std::vector<double>& lambdas,
                                  const std::vector<double>& values,
                                  const std::vector<double>& positions) {
  const auto at = [](const std::vector<double>& from, std::int64_t index) {
    return from.at(static_cast<std::size_t>(index));
  };
  std::vector<double> y;
  std::int64_t begin = 0;
  for (std::size_t s = 0; s < v.lengths.size(); ++s) {
    for (std::int64_t i = 0; i < v.lengths[s]; ++i) {
      for (std::int64_t head = 0; head < v.heads; ++head) {
        const std::int64_t column = head * v.values() / v.d_v / v.heads * v.d_v;
        for (std::int64_t c = 0; c < v.d_v; ++c) {
          double sum = 0;
          for (std::int64_t k = 0; k < v.d_k; ++k) {
            double lambda =
                at(lambdas, (static_cast<std::int64_t>(s) * v.d_k + k) * v.values() + column + c);
            for (std::int64_t j = 0; j < v.lengths[s]; ++j) {
              if (std::abs(j - i) <= v.reach) {
                lambda += at(positions, (j - i + v.reach) * v.d_k + k) *
                          at(values, (begin + j) * v.values() + column + c);
              }
            }
            sum += lambda * at(q, ((begin + i) * v.heads + head) * v.d_k + k);
          }
          y.push_back(sum);
        }
      }
    }
    begin += v.lengths[s];
  }
  return y;
}

TEST(ApplyLambdas, PassesEveryUseOfItsCases) {
  for (const LambdaVariant& variant : lambda_variants()) {
    check_op(lambda_case(variant));
  }
}

TEST(ApplyLambdas, AgreesOnEveryBackendForLongerSentences) {
  expect_backends_agree(lambda_case({"long", {130, 1, 70}, 8, 4, 0, 16, 24}));
  expect_backends_agree(lambda_case({"shared", {90, 33}, 3, 6, 2, 8, 40}));
}

TEST(ApplyLambdas, MultipliesEachQueryWithAMatrixOfItsOwn) {
  for (const LambdaVariant& v : lambda_variants()) {
    Region region(shared_backend("reference"), std::int64_t{1} << 22U);
    Context c{.region = region};
    const auto sentences = static_cast<std::int64_t>(v.lengths.size());
    const auto input = [&](std::int64_t rows, std::int64_t cols, std::uint64_t key) {
      return tensor_of(random_values(rows * cols, key), {rows, cols}, DType::f64, region);
    };
    const Tensor q = input(v.tokens(), v.heads * v.d_k, 1);
    const Tensor lambdas = input(sentences * v.d_k, v.values(), 2);
    const Tensor values = input(v.tokens(), v.values(), 3);
    const Tensor positions = input(2 * v.reach + 1, v.d_k, 4);
    const Tensor y = apply_lambdas({q, layout_of(v.lengths, region)}, lambdas, values, positions,
                                   {v.heads, v.kv_heads, v.d_k, v.d_v}, c);
    expect_near(
        values_of(y),
        dense_lambdas(v, values_of(q), values_of(lambdas), values_of(values), values_of(positions)),
        1e-12, v.name);
  }
}

TEST(ApplyLambdas, HasTheSameBitsForAnyNumberOfThreads) {
  const OpCase made = lambda_case({"long", {130, 1, 70}, 8, 4, 0, 16, 24});
  const OpResult one = run_op(made, {.backend = "cpu", .dtype = DType::f32, .threads = 1});
  const OpResult four = run_op(made, {.backend = "cpu", .dtype = DType::f32, .threads = 4});
  EXPECT_EQ(one.outputs, four.outputs);
  EXPECT_EQ(one.gradients, four.gradients);
}

TEST(ApplyLambdas, RefusesShapesThatDoNotFit) {
  OpCase made = lambda_case({"few", {3, 1, 5}});
  made.inputs[3].shape = {2, 3};
  EXPECT_THAT(message_of<InvalidArgument>([&] { run_op(made); }),
              ::testing::HasSubstr("positions [2, 3] are not [2r + 1, 3]"));
}

}  // namespace
}  // namespace yona::testing
