#include "yona/tensor/ops/tanh.h"

#include <gtest/gtest.h>

#include "tests/tensor/ops/activation_cases.h"

namespace yona::testing {
namespace {

TEST(Tanh, PassesEveryUseOfItsCases) {
  check_activation([](const Tensor& x, Context& c) { return tanh(x, c); });
}

TEST(Tanh, HasItsLimitsAndIsTheIdentityNearZero) {
  expect_activation(
      [](const Tensor& x, Context& c) { return tanh(x, c); }, {-200, -1, -1e-4, 0, 0.5, 20, 200},
      {-1, -0.7615941559557649, -9.999999966666668e-05, 0, 0.46211715726000973, 1, 1});
}

TEST(Sigmoid, PassesEveryUseOfItsCases) {
  check_activation([](const Tensor& x, Context& c) { return sigmoid(x, c); });
}

TEST(Sigmoid, HasItsLimitsWhereTheExponentialHasNone) {
  expect_activation([](const Tensor& x, Context& c) { return sigmoid(x, c); },
                    {-200, -1, 0, 1, 200}, {0, 0.2689414213699951, 0.5, 0.7310585786300049, 1});
}

}  // namespace
}  // namespace yona::testing
