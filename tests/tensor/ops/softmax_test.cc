#include "yona/tensor/ops/softmax.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {
namespace {

constexpr double kInfiniteLogit = std::numeric_limits<double>::infinity();

template <class Op>
std::vector<OpCase> cases_of(const Op& op) {
  const OpFunction whole = [op](const Inputs& x, Context& c) { return Inputs{op(x[0], c)}; };
  const OpFunction strided = [op](const Inputs& x, Context& c) {
    return Inputs{op(x[0].columns(2, 5), c)};
  };
  return {{"matrix", {{{3, 5}}}, whole},
          {"no rows", {{{0, 5}}}, whole},
          {"one column", {{{4, 1}}}, whole},
          {"one row", {{{1, 7}}}, whole},
          {"wide rows", {{{3, 131}}}, whole},
          {"three axes", {{{2, 3, 5}}}, whole},
          {"strided", {{{4, 9}}}, strided},
          {"many rows", {{{70, 9}}}, whole},
          {"spread", {{{3, 20}, true, -30, 30}}, whole}};
}

// The op on given values, on both backends.
template <class Op>
void expect_values(const Op& op, const Shape& shape, const std::vector<double>& x,
                   const std::vector<double>& y) {
  const OpCase given{"values", {{shape}}, [&](const Inputs& inputs, Context& c) {
                       set_values(inputs[0], x);
                       return Inputs{op(inputs[0], c)};
                     }};
  expect_near(run_op(given).outputs[0], y, 1e-12, "reference");
  expect_near(run_op(given, {.backend = "cpu", .dtype = DType::f32}).outputs[0], y, 1e-6, "cpu");
}

TEST(Softmax, PassesEveryUseOfItsCases) {
  for (const OpCase& op_case : cases_of(softmax)) {
    check_op(op_case);
  }
}

TEST(Softmax, LogSoftmaxPassesEveryUseOfItsCases) {
  for (const OpCase& op_case : cases_of(log_softmax)) {
    check_op(op_case);
  }
}

TEST(Softmax, IsStableForLargeLogits) {
  expect_values(softmax, {2, 2}, {1e4, 1e4, -1e4, -1e4}, {0.5, 0.5, 0.5, 0.5});
  expect_values(log_softmax, {2, 2}, {1e4, 1e4, 0, 1e4},
                {-std::log(2.0), -std::log(2.0), -1e4, 0.0});
}

TEST(Softmax, GivesMaskedElementsZeroAndRowsWithoutAnyZerosThroughout) {
  expect_values(softmax, {2, 3},
                {-kInfiniteLogit, 0, 0, -kInfiniteLogit, -kInfiniteLogit, -kInfiniteLogit},
                {0, 0.5, 0.5, 0, 0, 0});
}

}  // namespace
}  // namespace yona::testing
