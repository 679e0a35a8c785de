#include "yona/io/int8_weights_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/models/transformer.h"

#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

// Two matrices, of which the first is two parameters, and a vector.
class Pieces : public Module {
 public:
  explicit Pieces(std::int64_t width = 6) {
    query_.shape = {3, width};
    key_.shape = {5, width};
    inner_.shape = {70, width};
    bias_.shape = {70};
    add("query.weight", query_);
    add("key.weight", key_);
    add("inner.weight", inner_);
    add("inner.bias", bias_);
  }
  Tensor query_and_key() const { return query_.value.joined(key_.value); }
  const Tensor& inner() const { return inner_.value; }
  const Tensor& bias() const { return bias_.value; }

 private:
  Parameter query_, key_, inner_, bias_;
};

struct Weights {
  explicit Weights(std::int64_t width = 6) : module(width) {
    set_values(parameters.weights(), random_values(parameters.count(), 3));
  }
  Pieces module;
  Parameters parameters{module, shared_backend("cpu"), Gradients::no};
};

class Int8WeightsFileTest : public ::testing::Test {
 protected:
  void write() {
    quantised.get(weights.module.query_and_key());
    quantised.get(weights.module.inner());
    write_int8_weights(path, weights.parameters, quantised);
  }
  std::string refusal(const Weights& other = Weights()) const {
    return message_of<FormatError>([&] { Int8WeightsFile(folder.path(), other.parameters); });
  }

  TempDir folder;
  std::filesystem::path path = folder / kInt8File;
  Weights weights;
  QuantisedWeights quantised{weights.parameters.weights()};
};

TEST_F(Int8WeightsFileTest, HoldsMatricesAsProductsReadThem) {
  write();
  EXPECT_TRUE(has_int8_weights(folder.path()));
  const SafetensorsFile file(path);
  EXPECT_EQ(file.find("query.weight+key.weight.int8")->shape, (Shape{1, 64 * 8}));
  EXPECT_EQ(file.find("inner.weight.int8")->shape, (Shape{2, 64 * 8}));
  EXPECT_EQ(file.find("inner.weight.scales")->shape, (Shape{128}));
  EXPECT_EQ(file.find("inner.bias")->dtype, DType::f32);
}

TEST_F(Int8WeightsFileTest, IsUsedInPlace) {
  write();
  Weights empty;
  set_values(empty.parameters.weights(),
             std::vector<double>(static_cast<std::size_t>(empty.parameters.count()), 0.0));
  const Int8WeightsFile file(folder.path(), empty.parameters);
  EXPECT_EQ(values_of(empty.module.bias()), [&] {
    std::vector<double> bias;
    for (std::int64_t i = 0; i < 70; ++i) {
      bias.push_back(static_cast<double>(weights.module.bias().data<float>()[i]));
    }
    return bias;
  }());
  QuantisedWeights mapped(empty.parameters.weights(),
                          [](const Tensor& /*part*/, float* /*to*/) { FAIL(); });
  file.add_to(mapped);
  const Int8Weights got = mapped.get(empty.module.inner());
  const Int8Weights expected = quantised.get(weights.module.inner());
  for (std::int64_t p = 0; p < 2; ++p) {
    for (std::int64_t i = 0; i < got.values.cols; ++i) {
      ASSERT_EQ(got.values.row<std::int8_t>(p)[i], expected.values.row<std::int8_t>(p)[i]);
    }
  }
  for (std::int64_t r = 0; r < 128; ++r) {
    EXPECT_EQ(got.scales.row<float>(0)[r], expected.scales.row<float>(0)[r]);
    EXPECT_EQ(got.sums.row<std::int32_t>(0)[r], expected.sums.row<std::int32_t>(0)[r]);
  }
}

TEST_F(Int8WeightsFileTest, IsNotWrittenWithAMatrixThatNobodyAskedFor) {
  quantised.get(weights.module.query_and_key());
  EXPECT_EQ(
      message_of<InvalidArgument>([&] { write_int8_weights(path, weights.parameters, quantised); }),
      "int8 weights: 'inner.weight' is used by no product");
}

TEST_F(Int8WeightsFileTest, MustFitTheModel) {
  write();
  EXPECT_THAT(
      refusal(Weights(12)),
      HasSubstr("model.int8.safetensors: tensor 'inner.weight.int8' is missing or not i8 of "
                "shape [2, 768]"));
}

// Rewrites the file without one tensor, or with one under another name.
class DamagedInt8FileTest : public Int8WeightsFileTest {
 protected:
  void rename(const std::string& from, const std::string& to) {
    write();
    const std::filesystem::path whole = folder / "whole";
    std::filesystem::rename(path, whole);
    const SafetensorsFile file(whole);
    std::vector<NamedArray> arrays;
    for (NamedArray array : file.arrays()) {
      array.name = array.name == from ? to : array.name;
      if (!array.name.empty()) {
        arrays.push_back(array);
      }
    }
    write_safetensors(path, arrays);
  }
};

TEST_F(DamagedInt8FileTest, IsRefusedWithTheTensorsName) {
  rename("inner.bias", "outer.bias");
  EXPECT_THAT(refusal(), HasSubstr("tensor 'outer.bias' of shape [70] is none of the model's"));
  rename("inner.bias", "");
  EXPECT_THAT(refusal(), HasSubstr("the weights have no tensor 'inner.bias'"));
  rename("inner.weight.scales", "");
  EXPECT_THAT(refusal(), HasSubstr("tensor 'inner.weight.scales' is missing or not f32 of shape "
                                   "[128]"));
  rename("query.weight+key.weight.int8", "key.weight+query.weight.int8");
  EXPECT_THAT(refusal(), HasSubstr("'key.weight+query.weight' are not one matrix of the model"));
  rename("query.weight+key.weight.int8", "query.weight+kez.weight.int8");
  EXPECT_THAT(refusal(), HasSubstr("tensor 'kez.weight' is none of the model's matrices"));
}

}  // namespace
}  // namespace yona::testing
