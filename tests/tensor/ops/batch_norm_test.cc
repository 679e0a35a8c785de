#include "yona/tensor/ops/batch_norm.h"

#include <cmath>
#include <filesystem>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/json_file.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

using Numbers = std::vector<double>;

Tensor vector_of(const Numbers& values, const Tensor& like, Context& c) {
  return tensor_of(values, {static_cast<std::int64_t>(values.size())}, sum_type(like.dtype()),
                   c.region);
}

// x, weight and bias, with running statistics of its own.
BatchNormState state_of(const Inputs& x, Context& c) {
  const std::int64_t d = x[0].cols();
  return {.weight = x[1],
          .bias = x[2],
          .running_mean = vector_of(random_values(d, 21), x[0], c),
          .running_variance = vector_of(random_values(d, 22, 0.5, 2.0), x[0], c)};
}

Inputs in_training(const Inputs& x, Context& c) { return {batch_norm(x[0], state_of(x, c), c)}; }

TEST(BatchNorm, PassesEveryUseOfItsCases) {
  const std::vector<OpCase> cases{
      {"matrix", {{{3, 5}}, {{5}}, {{5}}}, in_training},
      {"no rows", {{{0, 5}}, {{5}}, {{5}}}, in_training},
      {"one row", {{{1, 4}}, {{4}}, {{4}}}, in_training},
      {"wide rows", {{{4, 130}}, {{130}}, {{130}}}, in_training},
      {"constant input", {{{4, 9}, false}, {{9}}, {{9}}}, in_training},
      {"many rows", {{{300, 2}}, {{2}}, {{2}}}, in_training},
      {"part of a matrix", {{{6, 12}}, {{5}}, {{5}}}, [](const Inputs& x, Context& c) {
         return in_training({x[0].columns(4, 5), x[1], x[2]}, c);
       }}};
  for (const OpCase& op_case : cases) {
    check_op(op_case);
  }
}

// Several slices of rows on every backend, and columns far from zero, whose squares would lose
// their difference. Without finite differences, for the time they take.
TEST(BatchNorm, IsTheSameOnEveryBackendForManySlices) {
  for (const double mean : {0.0, 30.0}) {
    expect_backends_agree(
        {"slices", {{{2500, 70}, true, mean - 1, mean + 1}, {{70}}, {{70}}}, in_training});
  }
}

TEST(BatchNorm, UsesTheRunningStatisticsOutsideTraining) {
  const OpCase op_case{"evaluation", {{{6, 5}}, {{5}}, {{5}}}, [](const Inputs& x, Context& c) {
                         const BatchNormState state = state_of(x, c);
                         c.training = false;
                         const Tensor y = batch_norm(x[0], state, c);
                         c.training = true;
                         return Inputs{y};
                       }};
  check_op(op_case);
}

// What the statistics are after passes over these rows.
std::pair<Numbers, Numbers> after_passes(const std::vector<Numbers>& batches, bool repeats = false,
                                         std::string_view backend = "cpu") {
  Region region(shared_backend(backend), 1 << 20);
  Context c{.region = region, .training = true};
  const auto column = [&](const Numbers& values, const Shape& shape) {
    return tensor_of(values, shape, DType::f32, region);
  };
  const BatchNormState state{column({1}, {1}), column({0}, {1}), column({0}, {1}),
                             column({1}, {1})};
  for (const Numbers& rows : batches) {
    c.repeats = repeats;
    batch_norm(column(rows, {static_cast<std::int64_t>(rows.size()), 1}), state, c);
  }
  return {values_of(state.running_mean), values_of(state.running_variance)};
}

TEST(BatchNorm, KeepsATenthOfEachBatch) {
  const auto [mean, variance] = after_passes({{1, 3}, {6, 6, 9}});
  EXPECT_NEAR(mean[0], 0.9 * (0.1 * 2) + 0.1 * 7, 1e-6);
  EXPECT_NEAR(variance[0], 0.9 * (0.9 * 1 + 0.1 * 2) + 0.1 * 3, 1e-6);
}

TEST(BatchNorm, KeepsNothingOfARepeatedPassOfOneRowOrOfWhatIsNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto untouched = std::pair(Numbers{0}, Numbers{1});
  for (const std::string_view backend : {"reference", "cpu"}) {
    EXPECT_EQ(after_passes({{1, 3}}, true, backend), untouched);
    EXPECT_EQ(after_passes({{5}, {}}, false, backend), untouched);
    EXPECT_EQ(after_passes({{1, nan}, {infinity, 1}, {-infinity, infinity}}, false, backend),
              untouched);
  }
}

// tests/fixtures/batch_norm.json: torch.nn.BatchNorm1d (tools/fixtures/batch_norm.py).
TEST(BatchNorm, IsPyTorchs) {
  const Json fixture = read_json(std::filesystem::path(YONA_FIXTURES) / "batch_norm.json");
  const auto d = fixture["width"].get<std::int64_t>();
  Region region(shared_backend("reference"), 1 << 20);
  const auto tensor = [&](const Json& values, const Shape& shape) {
    return tensor_of(values.get<Numbers>(), shape, DType::f64, region);
  };
  const BatchNormState state{tensor(fixture["weight"], {d}), tensor(fixture["bias"], {d}),
                             tensor(Numbers(static_cast<std::size_t>(d), 0.0), {d}),
                             tensor(Numbers(static_cast<std::size_t>(d), 1.0), {d})};
  for (const Json& pass : fixture["passes"]) {
    const Shape shape{pass["rows"].get<std::int64_t>(), d};
    Tape tape;
    Context c{.region = region, .tape = &tape, .training = pass["training"].get<bool>()};
    const Tensor x = tensor(pass["x"], shape);
    const Tensor weight = tensor(fixture["weight"], {d});
    const Tensor bias = tensor(fixture["bias"], {d});
    for (Tensor input : {x, weight, bias}) {
      input.set_requires_gradient();
    }
    const Tensor y = batch_norm(x, {weight, bias, state.running_mean, state.running_variance}, c);
    expect_near(values_of(y), pass["y"].get<Numbers>(), kExactF64, "y");
    set_values(gradient_target(y, region).tensor, pass["dy"].get<Numbers>());
    tape.backward();
    for (const auto& [name, input] :
         {std::pair("dx", x), std::pair("dweight", weight), std::pair("dbias", bias)}) {
      expect_near(values_of(input.gradient()), pass[name].get<Numbers>(), kExactF64, name);
    }
    expect_near(values_of(state.running_mean), pass["running_mean"].get<Numbers>(), kExactF64,
                "running mean");
    expect_near(values_of(state.running_variance), pass["running_variance"].get<Numbers>(),
                kExactF64, "running variance");
  }
}

TEST(BatchNorm, RefusesAVectorOfAnotherWidth) {
  const OpCase bad{"bad", {{{3, 5}}, {{4}}, {{5}}}, in_training};
  EXPECT_THAT(message_of<InvalidArgument>([&] { run_op(bad); }),
              ::testing::HasSubstr("batch_norm: a vector [4] does not fit input [3, 5]"));
}

}  // namespace
}  // namespace yona::testing
