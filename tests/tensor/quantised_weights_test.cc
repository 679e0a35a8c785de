#include "yona/tensor/quantised_weights.h"

#include <gtest/gtest.h>

#include "yona/tensor/packed_weights.h"

#include "tests/harness/compare.h"
#include "tests/harness/temp_dir.h"
#include "tests/tensor/weight_buffer.h"

namespace yona::testing {
namespace {

using QuantisedWeightsTest = WeightBuffer;

TEST_P(QuantisedWeightsTest, ChangeResultsByLittle) {
  const auto expected = results();
  QuantisedWeights quantised(flat);
  const auto got = results();
  expect_near(got[0], expected[0], 3.0 / 254 * 1.01, "embedded: half a step");
  for (const std::size_t i : {1, 2}) {
    expect_near(got[i], expected[i], 0.06, "product " + std::to_string(i));
    EXPECT_NE(got[i], expected[i]);
  }
  EXPECT_EQ(quantised.matrices().size(), 2U);
  EXPECT_EQ(quantised.matrices().at(0).rows, 70);  // the projection is part of the table
}

TEST_P(QuantisedWeightsTest, AreReadOnceAndOnlyThroughTheReader) {
  std::int64_t read = 0;
  QuantisedWeights quantised(flat, [&](const Tensor& part, float* to) {
    read += part.elements();
    std::fill_n(to, part.elements(), 0.5F);
  });
  for (int repeated = 0; repeated < 2; ++repeated) {
    const Int8Weights weights = quantised.get(weight());
    EXPECT_EQ(weights.scales.row<float>(0)[39], 0.5F / 127.0F);
    EXPECT_EQ(weights.scales.row<float>(0)[40], 0.0F);
    EXPECT_EQ(weights.sums.row<std::int32_t>(0)[0], 20 * 127);
  }
  EXPECT_EQ(read, 800);
  quantised.get(weight().row_range(0, 8));  // its first rows are there
  EXPECT_EQ(read, 800);
  quantised.get(table().row_range(0, 60));
  quantised.get(table());  // more rows than before: all of them again
  EXPECT_EQ(read, 800 + 1200 + 1400);
}

TEST_P(QuantisedWeightsTest, OfManyPanelsAreThoseOfOne) {
  const Tensor large = tensor_of(random_values(1200 * 4, 3), {1, 1200 * 4}, DType::f32, region);
  QuantisedWeights quantised(large);
  const Int8Weights all = quantised.get(large.slice(0, {1200, 4}));
  const Tensor last = large.slice(1100 * 4, {100, 4});
  const Int8Weights some = quantised.get(last);
  for (std::int64_t r = 0; r < 100; ++r) {
    EXPECT_EQ(all.scales.row<float>(0)[1100 + r], some.scales.row<float>(0)[r]) << r;
    EXPECT_EQ(all.sums.row<std::int32_t>(0)[1100 + r], some.sums.row<std::int32_t>(0)[r]) << r;
  }
}

TEST_P(QuantisedWeightsTest, UseWhatIsAddedAsItIs) {
  QuantisedWeights first(flat);
  QuantisedWeights::Matrix matrix{.offset = 1400, .rows = 40, .cols = 20};
  matrix.weights = first.get(weight());
  const Tensor other = tensor_of(random_values(2240, 9), {1, 2240}, DType::f32, region);
  QuantisedWeights second(other, [](const Tensor& /*part*/, float* /*to*/) { FAIL(); });
  second.add(matrix);
  EXPECT_EQ(second.get(other.slice(1400, {40, 20})).values.data, matrix.weights.values.data);
}

TEST_P(QuantisedWeightsTest, RefuseWhatCannotBe) {
  EXPECT_EQ(message_of<InvalidArgument>([&] { QuantisedWeights of(weight().columns(0, 3)); }),
            "quantised weights: a contiguous buffer of f32 is needed, not [40, 3] of f32");
  {
    QuantisedWeights quantised(flat);
    EXPECT_EQ(message_of<InvalidArgument>([&] { QuantisedWeights again(flat); }),
              "quantised weights: these are packed already");
    EXPECT_EQ(message_of<InvalidArgument>([&] { flat.to_vector<float>(); }),
              "tensor: weights packed for decoding cannot be read or saved");
    const Tensor square = flat.slice(1400, {20, 20});
    EXPECT_EQ(message_of<InvalidArgument>([&] { matmul(x, square, Transpose::no, c); }),
              "matmul: weights in bytes [20, 20] are multiplied with transposed only");
    const Tensor strided = table().columns(0, 4);
    EXPECT_EQ(message_of<InvalidArgument>([&] { quantised.get(strided); }),
              "quantised weights: [70, 4] cannot be rounded; rows have at most 65536 elements");
  }
  EXPECT_EQ(flat.storage()->quantised, nullptr);
  flat.set_requires_gradient();
  EXPECT_EQ(message_of<InvalidArgument>([&] { QuantisedWeights of(flat); }),
            "quantised weights: weights in training cannot be rounded");
}

INSTANTIATE_TEST_SUITE_P(Backends, QuantisedWeightsTest, ::testing::Values("reference", "cpu"));

}  // namespace
}  // namespace yona::testing
