// What every elementwise activation is asked: its gradient in all shapes, and values on each
// backend.
#pragma once

#include <functional>
#include <vector>

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {

using ActivationOp = std::function<Tensor(const Tensor&, Context&)>;

inline void check_activation(const ActivationOp& op) {
  const OpFunction whole = [&](const Inputs& x, Context& c) { return Inputs{op(x[0], c)}; };
  const OpFunction strided = [&](const Inputs& x, Context& c) {
    return Inputs{op(x[0].columns(1, 3), c)};
  };
  const std::vector<OpCase> cases{
      {"matrix", {{{3, 5}}}, whole},      {"no rows", {{{0, 5}}}, whole},
      {"one element", {{{1, 1}}}, whole}, {"wide range", {{{6, 33}, true, -8, 8}}, whole},
      {"strided", {{{4, 9}}}, strided},   {"many rows", {{{70, 17}}}, whole}};
  for (const OpCase& op_case : cases) {
    check_op(op_case);
  }
}

inline void expect_activation(const ActivationOp& op, const std::vector<double>& inputs,
                              const std::vector<double>& expected) {
  const OpCase of_values{"values",
                         {{{1, static_cast<std::int64_t>(inputs.size())}}},
                         [&](const std::vector<Tensor>& x, Context& c) {
                           set_values(x[0], inputs);
                           return std::vector<Tensor>{op(x[0], c)};
                         }};
  expect_near(run_op(of_values).outputs[0], expected, 1e-14, "reference");
  for (const char* backend : {"cpu", "cuda"}) {
    if (backend == std::string_view("cpu") || has_cuda()) {
      expect_near(run_op(of_values, {.backend = backend, .dtype = DType::f32}).outputs[0], expected,
                  1e-6, backend);
    }
  }
}

}  // namespace yona::testing
