#include "yona/nn/parameters.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {
namespace {

class Sample : public Module {
 public:
  explicit Sample(bool with_extra = false) {
    if (with_extra) {
      extra = {.shape = {7}, .init = Init::normal, .deviation = 1.0};
      add("extra", extra);
    }
    table = {.shape = {101, 40}, .init = Init::normal, .deviation = 0.5, .zero_row = 100};
    weight = {.shape = {60, 50}, .init = Init::xavier};
    bias.shape = Shape{60};
    gain = {.shape = {60}, .init = Init::ones};
    constant = {.shape = {2, 2}, .values = [] { return std::vector<double>{1, 2, 3, 4}; }};
    add("table", table);
    add("weight", weight);
    add("bias", bias);
    add("gain", gain);
    add(constant);
  }
  Parameter extra, table, weight, bias, gain;
  Constant constant;
};

Backend& backend() { return shared_backend("reference"); }

TEST(Parameters, LieInOneBufferInTheOrderOfRegistration) {
  Sample sample;
  const Parameters parameters(sample, backend(), Gradients::yes);
  EXPECT_EQ(parameters.count(), 101 * 40 + 60 * 50 + 60 + 60);
  EXPECT_EQ(parameters.weights().shape(), (Shape{1, parameters.count()}));
  std::int64_t offset = 0;
  for (const Parameters::Entry& entry : parameters.entries()) {
    EXPECT_EQ(entry.offset, offset);
    EXPECT_EQ(entry.value.data<float>(), parameters.weights().data<float>() + offset);
    offset += entry.value.elements();
  }
  EXPECT_EQ(sample.weight.value.shape(), (Shape{60, 50}));
  EXPECT_EQ(sample.bias.value.joined(sample.gain.value).shape(), (Shape{120}));
}

TEST(Parameters, AreFoundByName) {
  Sample sample;
  const Parameters parameters(sample, backend(), Gradients::no);
  ASSERT_NE(parameters.find("weight"), nullptr);
  EXPECT_EQ(parameters.find("weight")->value.raw(), sample.weight.value.raw());
  EXPECT_EQ(parameters.find("Weight"), nullptr);
}

TEST(Parameters, TakeGradientsWhenAskedTo) {
  Sample sample;
  {
    Parameters parameters(sample, backend(), Gradients::yes);
    EXPECT_TRUE(sample.bias.value.requires_gradient());
    parameters.zero_gradients();
    EXPECT_EQ(sample.bias.value.gradient().to_vector<float>(), std::vector<float>(60, 0.0F));
    EXPECT_EQ(sample.bias.value.gradient().data<float>(),
              parameters.gradients().data<float>() + parameters.find("bias")->offset);
  }
  const Parameters parameters(sample, backend(), Gradients::no);
  EXPECT_FALSE(sample.bias.value.requires_gradient());
  EXPECT_FALSE(parameters.gradients());
}

TEST(Parameters, LetGoOfTheModelWhenTheyEnd) {
  Sample sample;
  { const Parameters parameters(sample, backend(), Gradients::yes); }
  EXPECT_FALSE(sample.weight.value);
  EXPECT_FALSE(sample.constant.value);
}

TEST(Parameters, FillConstantsAtOnce) {
  Sample sample;
  const Parameters parameters(sample, backend(), Gradients::no, DType::f64);
  EXPECT_EQ(values_of(sample.constant.value), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(sample.weight.value.dtype(), DType::f64);
}

struct Moments {
  double mean = 0, deviation = 0, largest = 0;
};

Moments moments(const std::vector<double>& values) {
  Moments found;
  for (const double value : values) {
    found.mean += value / static_cast<double>(values.size());
    found.deviation += value * value / static_cast<double>(values.size());
    found.largest = std::max(found.largest, std::abs(value));
  }
  found.deviation = std::sqrt(found.deviation - found.mean * found.mean);
  return found;
}

TEST(Parameters, BeginAsTheirKindSays) {
  Sample sample;
  Parameters parameters(sample, backend(), Gradients::no);
  parameters.initialise(1);
  EXPECT_EQ(values_of(sample.bias.value), std::vector<double>(60, 0.0));
  EXPECT_EQ(values_of(sample.gain.value), std::vector<double>(60, 1.0));

  const Moments weight = moments(values_of(sample.weight.value));
  const double bound = std::sqrt(6.0 / (60 + 50));  // Glorot and Bengio 2010, eq. 16
  EXPECT_LE(weight.largest, bound);
  EXPECT_GE(weight.largest, 0.99 * bound);
  EXPECT_NEAR(weight.mean, 0.0, 0.02);
  EXPECT_NEAR(weight.deviation, bound / std::sqrt(3.0), 0.01);

  const Tensor& table = sample.table.value;
  const Moments rows = moments(values_of(table.row_range(0, 100)));
  EXPECT_NEAR(rows.mean, 0.0, 0.03);
  EXPECT_NEAR(rows.deviation, 0.5, 0.03);
  EXPECT_EQ(values_of(table.row_range(100, 1)), std::vector<double>(40, 0.0));
}

TEST(Parameters, AreDrawnByNameAndSeed) {
  Sample sample;
  Sample larger(true);
  Parameters parameters(sample, backend(), Gradients::no);
  Parameters more(larger, backend(), Gradients::no);
  parameters.initialise(7);
  more.initialise(7);
  EXPECT_EQ(values_of(sample.weight.value), values_of(larger.weight.value));
  const std::vector<double> before = values_of(sample.weight.value);
  parameters.initialise(8);
  EXPECT_NE(values_of(sample.weight.value), before);
  parameters.initialise(7);
  EXPECT_EQ(values_of(sample.weight.value), before);
}

}  // namespace
}  // namespace yona::testing
