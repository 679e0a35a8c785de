// One case of an op, put to several uses: gradients against finite differences in double on the
// reference backend, every backend against the reference, a fused op against its plain
// composition, gradients that add up when a tensor is used twice.
//
//   OpCase{"strided", {{{5, 8}}}, [](const auto& x, Context& c) {
//     return std::vector{softmax(x[0].columns(2, 3), c)};
//   }}
//
// Memory is soiled with NaN before each run, so an element that a kernel forgets is seen.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "yona/tensor/context.h"

namespace yona::testing {

struct OpInput {
  Shape shape{};
  bool gradient = true;
  double low = -1.0;  // values are uniform in [low, high)
  double high = 1.0;
};

using Inputs = std::vector<Tensor>;

// Makes the outputs from the inputs. Called several times: it must depend on nothing else.
using OpFunction = std::function<std::vector<Tensor>(const Inputs& inputs, Context&)>;

struct OpCase {
  std::string name;
  std::vector<OpInput> inputs;
  OpFunction op;
  // What is differentiated is Σ weight · output. Empty: the weights are random and seed the
  // outputs' gradients. Given (one vector for each output): the op itself puts the gradients of
  // this sum in place, as a loss does.
  std::vector<std::vector<double>> loss_weights{};
};

struct OpRun {
  std::string_view backend = "reference";
  DType dtype = DType::f64;
  int threads = 1;
  Precision precision = Precision::f32;
  int times = 1;  // how often the op is applied to the same inputs
};

struct OpResult {
  std::vector<std::vector<double>> outputs;    // of the last application
  std::vector<std::vector<double>> gradients;  // of each input; empty where it takes none
};

OpResult run_op(const OpCase& op_case, const OpRun& run = {});

// A backend that lives as long as the program.
Backend& shared_backend(std::string_view name, int threads = 1);

// Is there a GPU, and a libyona_cuda.so to use it with? Says once why not. YONA_TEST_CUDA=0 leaves
// a GPU out; =1 makes it an error when it cannot be used.
bool has_cuda();

// The uses. Each reports through GoogleTest, naming the case.
void expect_gradients_match_finite_differences(const OpCase& op_case);
void expect_backends_agree(const OpCase& op_case);
void expect_gradients_add_up(const OpCase& op_case);
void expect_same(const OpCase& fused, const OpCase& plain);

// All uses that need no second case.
void check_op(const OpCase& op_case);

}  // namespace yona::testing
