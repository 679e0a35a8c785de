#include "yona/tensor/ops/add.h"

#include <gtest/gtest.h>

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

std::vector<OpCase> add_cases() {
  const OpFunction sum = [](const Inputs& x, Context& c) { return Inputs{add(x[0], x[1], c)}; };
  const OpFunction weighted = [](const Inputs& x, Context& c) {
    return Inputs{add(x[0], x[1], c, 0.5F, -2.0F)};
  };
  const OpFunction strided = [](const Inputs& x, Context& c) {
    return Inputs{add(x[0].columns(1, 3), x[1].columns(4, 3), c)};
  };
  const OpFunction itself = [](const Inputs& x, Context& c) { return Inputs{add(x[0], x[0], c)}; };
  const OpFunction parts_of_one = [](const Inputs& x, Context& c) {
    return Inputs{add(x[0].columns(0, 4), x[0].columns(3, 4), c)};
  };
  return {{"matrix", {{{3, 5}}, {{3, 5}}}, sum},
          {"no rows", {{{0, 5}}, {{0, 5}}}, sum},
          {"one element", {{{1, 1}}, {{1, 1}}}, sum},
          {"one column", {{{7, 1}}, {{7, 1}}}, sum},
          {"vectors", {{{9}}, {{9}}}, sum},
          {"three axes", {{{2, 3, 5}}, {{2, 3, 5}}}, sum},
          {"wider than a vector register", {{{3, 131}}, {{3, 131}}}, sum},
          {"many rows", {{{70, 33}}, {{70, 33}}}, sum},
          {"weighted", {{{3, 17}}, {{3, 17}}}, weighted},
          {"strided", {{{4, 5}}, {{4, 7}}}, strided},
          {"a tensor with itself", {{{3, 5}}}, itself},
          {"overlapping parts of one tensor", {{{3, 7}}}, parts_of_one},
          {"only the second takes a gradient", {{{3, 5}, false}, {{3, 5}}}, sum}};
}

TEST(Add, PassesEveryUseOfItsCases) {
  for (const OpCase& op_case : add_cases()) {
    check_op(op_case);
  }
}

TEST(Add, ScaleMultipliesAndPassesGradients) {
  for (const Shape& shape : {Shape{3, 5}, Shape{0, 4}, Shape{1, 1}, Shape{17, 33}}) {
    check_op({"scale " + shape.to_string(), {{shape}}, [](const Inputs& x, Context& c) {
                return Inputs{scale(x[0], -1.5F, c)};
              }});
  }
}

TEST(Add, GivesTheWeightedSum) {
  const OpResult result = run_op({"sum", {{{2, 2}}, {{2, 2}}}, [](const Inputs& x, Context& c) {
                                    set_values(x[0], {1, 2, 3, 4});
                                    set_values(x[1], {10, 20, 30, 40});
                                    return Inputs{add(x[0], x[1], c, 2.0F, 0.5F)};
                                  }});
  expect_near(result.outputs[0], {7, 14, 21, 28}, 0.0, "sum");
}

TEST(Add, RefusesShapesOrTypesThatDiffer) {
  Region region(shared_backend("reference"), 1 << 20);
  Context c{.region = region};
  const Tensor a = c.zeros(DType::f32, {2, 3});
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              add(a, c.zeros(DType::f32, {3, 2}), c);
            }),
            "add: [2, 3] of f32 and [3, 2] of f32 differ");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              add(a, c.zeros(DType::f64, {2, 3}), c);
            }),
            "add: [2, 3] of f32 and [2, 3] of f64 differ");
}

}  // namespace
}  // namespace yona::testing
