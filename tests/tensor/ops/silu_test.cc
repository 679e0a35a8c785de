#include "yona/tensor/ops/silu.h"

#include <gtest/gtest.h>

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {
namespace {

using Inputs = std::vector<Tensor>;

TEST(Silu, PassesEveryUseOfItsCases) {
  const OpFunction whole = [](const Inputs& x, Context& c) { return Inputs{silu(x[0], c)}; };
  const OpFunction strided = [](const Inputs& x, Context& c) {
    return Inputs{silu(x[0].columns(1, 3), c)};
  };
  const std::vector<OpCase> cases{
      {"matrix", {{{3, 5}}}, whole},      {"no rows", {{{0, 5}}}, whole},
      {"one element", {{{1, 1}}}, whole}, {"wide range", {{{6, 33}, true, -8, 8}}, whole},
      {"strided", {{{4, 9}}}, strided},   {"many rows", {{{70, 17}}}, whole}};
  for (const OpCase& op_case : cases) {
    check_op(op_case);
  }
}

TEST(Silu, HasItsLimitsWhereTheExponentialHasNone) {
  const OpCase given{"values", {{{1, 5}}}, [](const Inputs& x, Context& c) {
                       set_values(x[0], {-200, -1, 0, 1, 200});
                       return Inputs{silu(x[0], c)};
                     }};
  const std::vector<double> expected{0, -0.2689414213699951, 0, 0.7310585786300049, 200};
  expect_near(run_op(given).outputs[0], expected, 1e-14, "reference");
  expect_near(run_op(given, {.backend = "cpu", .dtype = DType::f32}).outputs[0], expected, 1e-6,
              "cpu");
  if (has_cuda()) {
    expect_near(run_op(given, {.backend = "cuda", .dtype = DType::f32}).outputs[0], expected, 1e-6,
                "cuda");
  }
}

}  // namespace
}  // namespace yona::testing
