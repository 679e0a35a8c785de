#include "yona/tensor/packed_weights.h"

#include <gtest/gtest.h>

#include "tests/harness/compare.h"
#include "tests/harness/temp_dir.h"
#include "tests/tensor/weight_buffer.h"

namespace yona::testing {
namespace {

using PackedWeightsTest = WeightBuffer;

TEST_P(PackedWeightsTest, ChangeNoResult) {
  const auto expected = results();
  PackedWeights packed(flat);
  const auto first = results();
  EXPECT_EQ(first[0], expected[0]);  // before its table was packed
  const auto got = results();
  EXPECT_EQ(got[0], expected[0]);  // and after
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expect_near(first[i], expected[i], 1e-5, "result " + std::to_string(i));
    expect_near(got[i], expected[i], 1e-5, "again, result " + std::to_string(i));
  }
  EXPECT_TRUE(packed.packed_table(table()));
}

TEST_P(PackedWeightsTest, AreFoundThroughTheStorageWhileTheyLive) {
  EXPECT_EQ(flat.storage()->packed, nullptr);
  {
    PackedWeights packed(flat);
    EXPECT_EQ(weight().storage()->packed, &packed);
    EXPECT_FALSE(packed.packed_table(table()));
    EXPECT_EQ(message_of<InvalidArgument>([&] { flat.to_vector<float>(); }),
              "tensor: weights packed for decoding cannot be read or saved");
  }
  EXPECT_EQ(flat.storage()->packed, nullptr);
}

TEST_P(PackedWeightsTest, RefuseOtherShapesOfWhatIsPacked) {
  PackedWeights packed(flat);
  packed.packed(weight());
  packed.packed(weight());
  EXPECT_EQ(message_of<InvalidArgument>([&] { packed.packed(weight().row_range(0, 8)); }),
            "packed weights: [8, 20] has been packed as [40, 20]");
  for (const Tensor& part : {flat.slice(1420, {8, 20}), flat.slice(1380, {2, 20})}) {
    EXPECT_EQ(message_of<InvalidArgument>([&] { packed.packed(part); }),
              "packed weights: part of " + fmt::format("{}", part.shape()) +
                  " has been packed in another shape");
  }
  packed.packed(table());
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              packed.packed_table(flat.slice(0, {140, 10}));
            }),
            "packed weights: [140, 10] has been packed as [70, 20]");
  EXPECT_EQ(message_of<InvalidArgument>([&] { matmul(x, weight(), Transpose::no, c); }),
            "matmul: [3, 20] of f32 and [40, 20] of f32 do not multiply");
  const Tensor square = flat.slice(1400, {20, 20});
  EXPECT_EQ(message_of<InvalidArgument>([&] { matmul(x, square, Transpose::no, c); }),
            "matmul: packed weights [20, 20] are multiplied with transposed only");
}

TEST_P(PackedWeightsTest, RefuseBuffersThatCannotBePacked) {
  EXPECT_EQ(message_of<InvalidArgument>([&] { PackedWeights of(weight().columns(0, 3)); }),
            "packed weights: a contiguous buffer of f32 is needed, not [40, 3] of f32");
  {
    const PackedWeights packed(flat);
    EXPECT_EQ(message_of<InvalidArgument>([&] { PackedWeights again(flat); }),
              "packed weights: these are packed already");
  }
  flat.set_requires_gradient();
  EXPECT_EQ(message_of<InvalidArgument>([&] { PackedWeights of(flat); }),
            "packed weights: weights in training cannot be packed");
}

INSTANTIATE_TEST_SUITE_P(Backends, PackedWeightsTest, ::testing::Values("reference", "cpu"));

}  // namespace
}  // namespace yona::testing
