#include "yona/tensor/half_weights.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/harness/compare.h"
#include "tests/harness/temp_dir.h"
#include "tests/tensor/weight_buffer.h"

namespace yona::testing {
namespace {

class HalfWeightsTest : public WeightBuffer {
 protected:
  // Values that bf16 has, so that nothing is rounded.
  void round_buffer() const {
    float* values = flat.data<float>();
    std::transform(values, values + flat.elements(), values,
                   [](float value) { return from_bf16(to_bf16(value)); });
  }
  HalfWeights::Copier copier() {
    return [this](const Tensor& part, float* to) {
      copied += part.elements();
      std::copy_n(part.data<float>(), part.elements(), to);
    };
  }
  std::int64_t copied = 0;
};

TEST_P(HalfWeightsTest, ChangeNoResultOfWeightsThatTheyCanHold) {
  round_buffer();
  const auto expected = results();
  HalfWeights half(flat, DType::bf16, copier());
  for (int again = 0; again < 2; ++again) {
    const auto got = results();
    EXPECT_EQ(got[0], expected[0]);
    for (std::size_t i = 1; i < expected.size(); ++i) {
      expect_near(got[i], expected[i], 1e-5, "result " + std::to_string(i));
    }
  }
  EXPECT_EQ(copied, 70 * 20 + 40 * 20);  // once each, though the logits use fewer rows
}

TEST_P(HalfWeightsTest, RoundOtherWeightsToTheirType) {
  const auto expected = results();
  const HalfWeights half(flat, DType::f16, copier());
  const auto got = results();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expect_near(got[i], expected[i], 5e-3, "result " + std::to_string(i));
    EXPECT_NE(got[i], expected[i]);
  }
}

TEST_P(HalfWeightsTest, HaveTwoBytesAndNoScreens) {
  HalfWeights half(flat, DType::bf16, copier());
  EXPECT_EQ(half.packed(weight()).dtype, DType::bf16);
  EXPECT_FALSE(half.has_screens());
  EXPECT_EQ(flat.storage()->packed, &half);
}

TEST_P(HalfWeightsTest, RefuseOtherTypes) {
  EXPECT_EQ(message_of<InvalidArgument>([&] { HalfWeights(flat, DType::f32, copier()); }),
            "half weights: bf16 or f16 is needed, not f32");
}

INSTANTIATE_TEST_SUITE_P(Backends, HalfWeightsTest, ::testing::Values("reference", "cpu"));

}  // namespace
}  // namespace yona::testing
