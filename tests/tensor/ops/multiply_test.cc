#include "yona/tensor/ops/multiply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/op_case.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

TEST(Multiply, PassesEveryUseOfItsCases) {
  const OpFunction product = [](const Inputs& x, Context& c) {
    return Inputs{multiply(x[0], x[1], c)};
  };
  const OpFunction square = [](const Inputs& x, Context& c) {
    return Inputs{multiply(x[0], x[0], c)};
  };
  const OpFunction halves = [](const Inputs& x, Context& c) {
    return Inputs{multiply(x[0].columns(0, 3), x[0].columns(3, 3), c)};
  };
  const std::vector<OpCase> cases{{"matrices", {{{3, 5}}, {{3, 5}}}, product},
                                  {"no rows", {{{0, 5}}, {{0, 5}}}, product},
                                  {"of itself", {{{4, 7}}}, square},
                                  {"halves of one", {{{4, 6}}}, halves}};
  for (const OpCase& op_case : cases) {
    check_op(op_case);
  }
}

TEST(Multiply, RefusesShapesThatDiffer) {
  const OpCase bad{"bad", {{{3, 5}}, {{3, 4}}}, [](const Inputs& x, Context& c) {
                     return Inputs{multiply(x[0], x[1], c)};
                   }};
  EXPECT_THAT(message_of<InvalidArgument>([&] { run_op(bad); }),
              ::testing::HasSubstr("multiply: [3, 5] of f64 and [3, 4] of f64 differ"));
}

}  // namespace
}  // namespace yona::testing
