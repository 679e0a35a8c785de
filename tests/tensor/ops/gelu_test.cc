#include "yona/tensor/ops/gelu.h"

#include <gtest/gtest.h>

#include "tests/tensor/ops/activation_cases.h"

namespace yona::testing {
namespace {

TEST(Gelu, PassesEveryUseOfItsCases) { check_activation(gelu); }

TEST(Gelu, HasThePublishedValuesAndItsLimits) {
  expect_activation(gelu, {-100, -1, 0, 0.5, 1, 100},
                    {0, -0.15865525393145707, 0, 0.34573123063700656, 0.8413447460685429, 100});
}

TEST(GeluTanh, PassesEveryUseOfItsCases) { check_activation(gelu_tanh); }

TEST(GeluTanh, IsNearTheExactOneAndHasItsLimits) {
  expect_activation(gelu_tanh, {-100, -1, 0, 1, 100},
                    {0, -0.1588080093917233, 0, 0.8411919906082768, 100});
}

}  // namespace
}  // namespace yona::testing
