#include "yona/backend/registration.h"

#include <gtest/gtest.h>

#include "tests/harness/each_kernel.h"

namespace yona::testing {
namespace {

TEST(Registration, GivesTheReferenceEveryKernel) {
  for_each_kernel(reference_kernels(),
                  [](const auto& kernel) { EXPECT_NE(kernel.function(), nullptr); });
}

TEST(Registration, LetsTheCpuFallBackToTheReference) {
  for_each_kernel(cpu_kernels(), [](const auto& kernel) { EXPECT_NE(kernel.function(), nullptr); });
}

}  // namespace
}  // namespace yona::testing
