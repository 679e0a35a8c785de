// Products of strips by AMX.

#include <gtest/gtest.h>

#include "tests/backend/cpu/strip_problem.h"

namespace yona {
namespace {

TEST(AmxMultiply, IsThatOfPlainLoopsForEveryEdgeAndEpilogue) {
  if (!cpu_has_amx()) {
    GTEST_SKIP() << "this machine has no AMX";
  }
  test::expect_multiplied_as_by_plain_loops(cpu::multiply_by_amx);
}

}  // namespace
}  // namespace yona
