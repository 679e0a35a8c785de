#include "yona/tensor/ops/join_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/op_case.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

TEST(JoinColumns, PassesEveryUseOfItsCases) {
  const OpFunction join = [](const Inputs& x, Context& c) {
    return Inputs{join_columns(x[0], x[1], c)};
  };
  const OpFunction parts = [](const Inputs& x, Context& c) {
    return Inputs{join_columns(x[0].columns(2, 4), x[0].columns(0, 2), c)};
  };
  const std::vector<OpCase> cases{{"matrices", {{{3, 5}}, {{3, 17}}}, join},
                                  {"no rows", {{{0, 5}}, {{0, 2}}}, join},
                                  {"of one", {{{4, 6}}}, parts}};
  for (const OpCase& op_case : cases) {
    check_op(op_case);
  }
}

TEST(JoinColumns, RefusesOtherNumbersOfRows) {
  const OpCase bad{"bad", {{{3, 5}}, {{2, 4}}}, [](const Inputs& x, Context& c) {
                     return Inputs{join_columns(x[0], x[1], c)};
                   }};
  EXPECT_THAT(message_of<InvalidArgument>([&] { run_op(bad); }),
              ::testing::HasSubstr("join_columns: [3, 5] of f64 and [2, 4] of f64 cannot be"));
}

}  // namespace
}  // namespace yona::testing
