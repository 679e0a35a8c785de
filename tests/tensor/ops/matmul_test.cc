#include "yona/tensor/ops/matmul.h"

#include <gtest/gtest.h>

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

OpFunction product(Transpose transpose) {
  return
      [transpose](const Inputs& x, Context& c) { return Inputs{matmul(x[0], x[1], transpose, c)}; };
}

std::vector<OpCase> matmul_cases() {
  std::vector<OpCase> cases;
  const std::int64_t sizes[][3] = {{3, 4, 5}, {1, 1, 1},   {0, 4, 5},   {3, 4, 1}, {1, 7, 3},
                                   {3, 1, 5}, {17, 33, 9}, {5, 130, 7}, {3, 4, 0}, {3, 0, 5}};
  for (const auto& [m, k, n] : sizes) {
    const std::string name = fmt::format("{}x{}x{}", m, k, n);
    cases.push_back({name, {{{m, k}}, {{k, n}}}, product(Transpose::no)});
    cases.push_back({name + " transposed", {{{m, k}}, {{n, k}}}, product(Transpose::yes)});
  }
  cases.push_back({"strided operands", {{{4, 9}}, {{3, 11}}}, [](const Inputs& x, Context& c) {
                     return Inputs{
                         matmul(x[0].columns(1, 3), x[1].columns(5, 4), Transpose::no, c),
                         matmul(x[0].columns(2, 5), x[1].columns(6, 5), Transpose::yes, c)};
                   }});
  cases.push_back(
      {"rows of a larger matrix", {{{6, 3}}, {{7, 3}}}, [](const Inputs& x, Context& c) {
         return Inputs{matmul(x[0].row_range(2, 3), x[1].row_range(1, 4), Transpose::yes, c)};
       }});
  cases.push_back({"a matrix with itself", {{{4, 4}}}, [](const Inputs& x, Context& c) {
                     return Inputs{matmul(x[0], x[0], Transpose::no, c)};
                   }});
  cases.push_back({"a chain", {{{2, 3}}, {{3, 4}}, {{5, 4}}}, [](const Inputs& x, Context& c) {
                     const Tensor y = matmul(x[0], x[1], Transpose::no, c);
                     return Inputs{matmul(y, x[2], Transpose::yes, c), y};
                   }});
  cases.push_back({"a constant operand", {{{3, 4}, false}, {{4, 5}}}, product(Transpose::no)});
  return cases;
}

TEST(Matmul, PassesEveryUseOfItsCases) {
  for (const OpCase& op_case : matmul_cases()) {
    check_op(op_case);
  }
}

TEST(Matmul, GivesTheProduct) {
  const OpResult result = run_op(
      {"values", {{{2, 2}}, {{2, 2}}}, [](const Inputs& x, Context& c) {
         set_values(x[0], {1, 2, 3, 4});
         set_values(x[1], {5, 6, 7, 8});
         return Inputs{matmul(x[0], x[1], Transpose::no, c), matmul(x[0], x[1], Transpose::yes, c)};
       }});
  expect_near(result.outputs[0], {19, 22, 43, 50}, 0.0, "a b");
  expect_near(result.outputs[1], {17, 23, 39, 53}, 0.0, "a bᵀ");
}

TEST(Matmul, RecordsNothingWhenNoOperandTakesGradients) {
  Region region(shared_backend("reference"), 1 << 20);
  Tape tape;
  Context c{.region = region, .tape = &tape};
  const Tensor y =
      matmul(c.zeros(DType::f32, {2, 3}), c.zeros(DType::f32, {3, 2}), Transpose::no, c);
  EXPECT_EQ(tape.size(), 0U);
  EXPECT_FALSE(y.requires_gradient());
}

TEST(Matmul, RefusesWhatDoesNotMultiply) {
  Region region(shared_backend("reference"), 1 << 20);
  Context c{.region = region};
  const Tensor a = c.zeros(DType::f32, {2, 3});
  EXPECT_EQ(message_of<InvalidArgument>([&] { matmul(a, a, Transpose::no, c); }),
            "matmul: [2, 3] of f32 and [2, 3] of f32 do not multiply");
  const Tensor b = c.zeros(DType::f32, {3, 2});
  EXPECT_EQ(message_of<InvalidArgument>([&] { matmul(a, b, Transpose::yes, c); }),
            "matmul: [2, 3] of f32 and [3, 2]ᵀ of f32 do not multiply");
  const Tensor d = c.zeros(DType::f64, {3, 2});
  EXPECT_EQ(message_of<InvalidArgument>([&] { matmul(a, d, Transpose::no, c); }),
            "matmul: [2, 3] of f32 and [3, 2] of f64 do not multiply");
}

}  // namespace
}  // namespace yona::testing
