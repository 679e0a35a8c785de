#include "yona/tensor/ops/silu.h"

#include <gtest/gtest.h>

#include "tests/tensor/ops/activation_cases.h"

namespace yona::testing {
namespace {

TEST(Silu, PassesEveryUseOfItsCases) { check_activation(silu); }

TEST(Silu, HasItsLimitsWhereTheExponentialHasNone) {
  expect_activation(silu, {-200, -1, 0, 1, 200},
                    {0, -0.2689414213699951, 0, 0.7310585786300049, 200});
}

}  // namespace
}  // namespace yona::testing
