// Products of strips by AVX512-BF16.

#include <gtest/gtest.h>

#include "tests/backend/cpu/strip_problem.h"

namespace yona {
namespace {

TEST(Bf16Dot, IsThatOfPlainLoopsForEveryEdgeAndEpilogue) {
  if (!cpu_has_bf16()) {
    GTEST_SKIP() << "this machine has no AVX512-BF16";
  }
  test::expect_multiplied_as_by_plain_loops(cpu::multiply_by_bf16_dot);
}

}  // namespace
}  // namespace yona
