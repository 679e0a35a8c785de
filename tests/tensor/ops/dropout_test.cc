#include "yona/tensor/ops/dropout.h"

#include <gtest/gtest.h>

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

RowDropout half(Context& c, const std::vector<std::int64_t>& lengths) {
  return {c.dropout(0.5, 1U << 12U), *layout_of(lengths, c.region)};
}

std::vector<OpCase> dropout_cases() {
  const auto on_rows = [](const std::vector<std::int64_t>& lengths) -> OpFunction {
    return [lengths](const Inputs& x, Context& c) {
      return Inputs{dropout(x[0], half(c, lengths), c)};
    };
  };
  return {{"two sentences", {{{5, 9}}}, on_rows({2, 3})},
          {"no rows", {{{0, 9}}}, on_rows({0})},
          {"one column", {{{4, 1}}}, on_rows({4})},
          {"more than one group of channels", {{{3, 300}}}, on_rows({1, 2})},
          {"just one group of channels", {{{2, 128}}}, on_rows({2})},
          {"many rows", {{{70, 17}}}, on_rows({33, 37})},
          {"strided", {{{5, 9}}}, [](const Inputs& x, Context& c) {
             return Inputs{dropout(x[0].columns(3, 4), half(c, {5}), c)};
           }}};
}

TEST(Dropout, PassesEveryUseOfItsCases) {
  for (const OpCase& op_case : dropout_cases()) {
    check_op(op_case);
  }
}

TEST(Dropout, MultipliesByItsFactors) {
  const OpCase fused{"dropout", {{{6, 40}}}, [](const Inputs& x, Context& c) {
                       return Inputs{dropout(x[0], half(c, {1, 5}), c)};
                     }};
  const OpCase plain{
      "factors", {{{6, 40}}}, [](const Inputs& x, Context& c) {
        const auto layout = layout_of({1, 5}, c.region);
        const Dropout options = c.dropout(0.5, 1U << 12U);
        return Inputs{multiply(x[0], dropout_factors(options, values_of(x[0]), *layout, 40), c)};
      }};
  expect_same(fused, plain);
}

TEST(Dropout, KeepsTheShareThatItSaysAndTheMean) {
  for (const double p : {0.1, 0.3, 0.5, 0.9}) {
    Region region(shared_backend("reference"), 1 << 26);
    Context c{.region = region, .training = true};
    const auto layout = layout_of({500}, region);
    const Tensor x(region, DType::f64, {500, 200});
    set_values(x, std::vector<double>(100000, 1.0));
    const std::vector<double> y = values_of(dropout(x, RowDropout(c.dropout(p, 0), *layout), c));
    double sum = 0;
    double dropped = 0;
    for (const double value : y) {
      sum += value;
      dropped += value == 0 ? 1 : 0;
    }
    EXPECT_NEAR(dropped / 1e5, p, 0.006);  // four standard deviations
    EXPECT_NEAR(sum / 1e5, 1.0, 0.04);
  }
}

TEST(Dropout, IsTheInputItselfWhenOff) {
  Region region(shared_backend("reference"), 1 << 20);
  Context c{.region = region};
  const Tensor x = c.zeros(DType::f32, {2, 3});
  const auto layout = layout_of({2}, region);
  EXPECT_EQ(dropout(x, RowDropout(c.dropout(0.5, 0), *layout), c).raw(), x.raw());
  c.training = true;
  EXPECT_EQ(dropout(x, RowDropout(c.dropout(0.0, 0), *layout), c).raw(), x.raw());
  EXPECT_NE(dropout(x, RowDropout(c.dropout(0.5, 0), *layout), c).raw(), x.raw());
}

TEST(Dropout, StaysFiniteForProbabilitiesNextToOne) {
  const Dropout options = Dropout::with(0.9999999, 1, 1);
  EXPECT_LT(options.threshold, 65536U);
  EXPECT_LE(options.scale, 65536.0F);
}

TEST(Dropout, RefusesKeysThatDoNotFit) {
  Region region(shared_backend("reference"), 1 << 20);
  Context c{.region = region, .training = true};
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              dropout(c.zeros(DType::f32, {2, 3}), half(c, {3}), c);
            }),
            "dropout: 3 row keys for input [2, 3]");
}

}  // namespace
}  // namespace yona::testing
