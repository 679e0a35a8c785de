#include "yona/tensor/ops/rms_norm.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

Inputs normed(const Inputs& x, Context& c) { return {rms_norm(x[0], x[1], 1e-6F, c)}; }

TEST(RmsNorm, PassesEveryUseOfItsCases) {
  const std::vector<OpCase> cases{{"matrix", {{{3, 5}}, {{5}}}, normed},
                                  {"no rows", {{{0, 5}}, {{5}}}, normed},
                                  {"one element", {{{1, 1}}, {{1}}}, normed},
                                  {"one wide row", {{{1, 130}}, {{130}}}, normed},
                                  {"constant input", {{{4, 9}, false}, {{9}}}, normed},
                                  {"many rows", {{{70, 17}}, {{17}}}, normed}};
  for (const OpCase& op_case : cases) {
    check_op(op_case);
  }
}

TEST(RmsNorm, KeepsTheMean) {
  const OpCase given{"values", {{{1, 2}}, {{2}}}, [](const Inputs& x, Context& c) {
                       set_values(x[0], {3, 4});
                       set_values(x[1], {1, 2});
                       return normed(x, c);
                     }};
  const double root = std::sqrt(12.5);
  expect_near(run_op(given).outputs[0], {3 / root, 8 / root}, 1e-6, "reference");
}

TEST(RmsNorm, RefusesAWeightOfAnotherWidth) {
  const OpCase bad{"bad", {{{3, 5}}, {{4}}}, normed};
  EXPECT_THAT(message_of<InvalidArgument>([&] { run_op(bad); }),
              ::testing::HasSubstr("rms_norm: weight [4] does not fit input [3, 5]"));
}

}  // namespace
}  // namespace yona::testing
