#include "tests/harness/op_case.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "tests/harness/compare.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {

namespace {

constexpr std::int64_t kRegionBytes = std::int64_t{1} << 26U;
constexpr std::int64_t kSoiledBytes = std::int64_t{1} << 20U;

std::vector<Tensor> make_inputs(const OpCase& op_case, DType dtype, Region& region) {
  std::vector<Tensor> inputs;
  for (const OpInput& input : op_case.inputs) {
    const auto key = static_cast<std::uint64_t>(inputs.size());
    inputs.push_back(tensor_of(random_values(input.shape.elements(), key, input.low, input.high),
                               input.shape, dtype, region));
    inputs.back().set_requires_gradient(input.gradient);
  }
  return inputs;
}

std::vector<double> weights_of(const OpCase& op_case, const Tensor& output, std::size_t index) {
  return op_case.loss_weights.empty() ? random_values(output.elements(), 1000 + index)
                                      : op_case.loss_weights.at(index);
}

// Puts the weights of the sum in the outputs' gradients, from which backward goes on.
void seed_gradients(const OpCase& op_case, const std::vector<Tensor>& outputs, Region& region) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const GradientTarget target = gradient_target(outputs[i], region);
    if (!target.tensor) {
      continue;
    }
    std::vector<double> weights = weights_of(op_case, outputs[i], i);
    if (target.accumulate) {
      const std::vector<double> there = values_of(target.tensor);
      for (std::size_t j = 0; j < weights.size(); ++j) {
        weights[j] += there[j];
      }
    }
    set_values(target.tensor, weights);
  }
}

double weighted_sum(const OpCase& op_case, const std::vector<Tensor>& outputs) {
  double sum = 0.0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::vector<double> values = values_of(outputs[i]);
    const std::vector<double> weights = weights_of(op_case, outputs[i], i);
    for (std::size_t j = 0; j < values.size(); ++j) {
      sum += weights.at(j) * values[j];
    }
  }
  return sum;
}

}  // namespace

Backend& shared_backend(std::string_view name, int threads) {
  static std::map<std::pair<std::string, int>, std::unique_ptr<Backend>> backends;
  std::unique_ptr<Backend>& backend = backends[{std::string(name), threads}];
  if (!backend) {
    backend = make_backend(name, {.threads = threads});
  }
  return *backend;
}

namespace {

bool find_cuda() {
  const char* wanted = std::getenv("YONA_TEST_CUDA");
  const bool required = wanted != nullptr && std::string_view(wanted) == "1";
  const bool refused = wanted != nullptr && !required;
  // Opening the library takes a tenth of a second, in each of many test programs.
  const bool likely =
      required || std::filesystem::exists("/dev/nvidiactl") || std::filesystem::exists("/dev/dxg");
  if (refused || !likely) {
    return false;
  }
  try {
    shared_backend("cuda");
    return true;
  } catch (const DeviceError& error) {
    if (required) {
      throw;
    }
    std::cerr << "tests on the GPU are left out: " << error.what() << '\n';
    return false;
  }
}

}  // namespace

bool has_cuda() {
  static const bool found = find_cuda();
  return found;
}

OpResult run_op(const OpCase& op_case, const OpRun& run) {
  Region region(shared_backend(run.backend, run.threads), kRegionBytes);
  soil(region, kSoiledBytes);
  Tape tape;
  Context c{.region = region, .tape = &tape, .training = true, .precision = run.precision};
  const std::vector<Tensor> inputs = make_inputs(op_case, run.dtype, region);
  OpResult result;
  for (int time = 0; time < run.times; ++time) {
    const std::vector<Tensor> outputs = op_case.op(inputs, c);
    result.outputs.clear();
    for (const Tensor& output : outputs) {
      result.outputs.push_back(values_of(output));
    }
    if (op_case.loss_weights.empty()) {
      seed_gradients(op_case, outputs, region);
    }
  }
  tape.backward();
  for (const Tensor& input : inputs) {
    const Tensor gradient = input.gradient();
    if (!input.requires_gradient()) {
      EXPECT_FALSE(gradient) << "an input that takes no gradient got one";
      result.gradients.emplace_back();
    } else if (gradient) {
      result.gradients.push_back(values_of(gradient));
    } else {  // nothing reached it: zero
      result.gradients.emplace_back(static_cast<std::size_t>(input.elements()), 0.0);
    }
  }
  return result;
}

void expect_gradients_match_finite_differences(const OpCase& op_case) {
  SCOPED_TRACE(op_case.name);
  const OpResult result = run_op(op_case);
  Region region(shared_backend("reference"), kRegionBytes);
  Context c{.region = region, .training = true};
  const std::vector<Tensor> inputs = make_inputs(op_case, DType::f64, region);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!op_case.inputs[i].gradient) {
      continue;
    }
    std::vector<double> differences(static_cast<std::size_t>(inputs[i].elements()));
    for (std::size_t j = 0; j < differences.size(); ++j) {
      double& element = inputs[i].data<double>()[j];
      const double value = element;
      element = value + kDifferenceStep;
      const double above = weighted_sum(op_case, op_case.op(inputs, c));
      element = value - kDifferenceStep;
      const double below = weighted_sum(op_case, op_case.op(inputs, c));
      element = value;
      differences[j] = (above - below) / (2.0 * kDifferenceStep);
    }
    expect_near(result.gradients[i], differences, kFiniteDifference,
                "gradient of input " + std::to_string(i));
  }
}

namespace {

void expect_close(const OpResult& actual, const OpResult& expected, double tolerance,
                  const std::string& what) {
  ASSERT_EQ(actual.outputs.size(), expected.outputs.size());
  for (std::size_t i = 0; i < expected.outputs.size(); ++i) {
    expect_near(actual.outputs[i], expected.outputs[i], tolerance,
                what + ": output " + std::to_string(i));
  }
  ASSERT_EQ(actual.gradients.size(), expected.gradients.size());
  for (std::size_t i = 0; i < expected.gradients.size(); ++i) {
    expect_near(actual.gradients[i], expected.gradients[i], tolerance,
                what + ": gradient of input " + std::to_string(i));
  }
}

}  // namespace

void expect_backends_agree(const OpCase& op_case) {
  SCOPED_TRACE(op_case.name);
  const OpResult exact = run_op(op_case);
  const OpResult one = run_op(op_case, {.backend = "cpu", .dtype = DType::f32, .threads = 1});
  const OpResult two = run_op(op_case, {.backend = "cpu", .dtype = DType::f32, .threads = 2});
  expect_close(run_op(op_case, {.dtype = DType::f32}), exact, kBackendF32, "reference in f32");
  expect_close(one, exact, kBackendF32, "cpu in f32");
  expect_close(two, one, 0.0, "cpu with two threads");
  expect_close(
      run_op(op_case, {.backend = "cpu", .dtype = DType::f32, .precision = Precision::bf16}),
      run_op(op_case, {.dtype = DType::f32, .precision = Precision::bf16}), kBackendBf16,
      "cpu in bf16");
  if (has_cuda()) {
    const OpResult cuda = run_op(op_case, {.backend = "cuda", .dtype = DType::f32});
    expect_close(cuda, exact, kBackendF32, "cuda in f32");
    expect_close(run_op(op_case, {.backend = "cuda", .dtype = DType::f32}), cuda, 0.0,
                 "cuda, run again");
    expect_close(
        run_op(op_case, {.backend = "cuda", .dtype = DType::f32, .precision = Precision::bf16}),
        run_op(op_case, {.dtype = DType::f32, .precision = Precision::bf16}), kBackendBf16,
        "cuda in bf16");
  }
}

void expect_gradients_add_up(const OpCase& op_case) {
  SCOPED_TRACE(op_case.name);
  const auto twice = [&](OpRun run) {
    OpResult once = run_op(op_case, run);
    for (std::vector<double>& gradient : once.gradients) {
      for (double& value : gradient) {
        value *= 2.0;
      }
    }
    run.times = 2;
    expect_close(run_op(op_case, run), once, run.dtype == DType::f64 ? kExactF64 : kBackendF32,
                 std::string(run.backend) + ", applied twice");
  };
  twice({});
  twice({.backend = "cpu", .dtype = DType::f32});
  if (has_cuda()) {
    twice({.backend = "cuda", .dtype = DType::f32});
  }
}

void expect_same(const OpCase& fused, const OpCase& plain) {
  SCOPED_TRACE(fused.name);
  expect_close(run_op(fused), run_op(plain), kExactF64, "fused and plain in f64");
  expect_close(run_op(fused, {.backend = "cpu", .dtype = DType::f32}),
               run_op(plain, {.backend = "cpu", .dtype = DType::f32}), kBackendF32,
               "fused and plain on cpu");
  if (has_cuda()) {  // plain compositions read host memory
    expect_close(run_op(fused, {.backend = "cuda", .dtype = DType::f32}),
                 run_op(plain, {.backend = "cpu", .dtype = DType::f32}), kBackendF32,
                 "fused on cuda and plain on cpu");
  }
}

void check_op(const OpCase& op_case) {
  expect_gradients_match_finite_differences(op_case);
  expect_backends_agree(op_case);
  expect_gradients_add_up(op_case);
}

}  // namespace yona::testing
