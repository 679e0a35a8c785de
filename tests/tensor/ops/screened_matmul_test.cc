#include "yona/tensor/ops/screened_matmul.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/tensor/ops/matmul.h"
#include "yona/tensor/packed_weights.h"

#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

class ScreenedMatmulTest : public ::testing::Test {
 protected:
  Region region_{shared_backend("cpu")};
  Context c_{.region = region_};
};

TEST_F(ScreenedMatmulTest, HasTheLargestElementsOfTheWholeProduct) {
  const Tensor weight = tensor_of(random_values(300 * 32, 1), {300, 32}, DType::f32, region_);
  const Tensor a = tensor_of(random_values(3 * 32, 2), {3, 32}, DType::f32, region_);
  PackedWeights packed(weight);
  const std::vector<float> whole = matmul(a, weight, Transpose::yes, c_).to_vector<float>();
  for (int again = 0; again < 2; ++again) {  // the second time its screen is there
    const std::vector<float> some = screened_matmul(a, weight, 1, c_).to_vector<float>();
    for (std::ptrdiff_t row = 0; row < 3; ++row) {
      const auto of = [&](const std::vector<float>& values) {
        const auto begin = values.begin() + row * 300;
        return std::max_element(begin, begin + 300) - begin;
      };
      EXPECT_EQ(of(some), of(whole));
    }
  }
}

TEST_F(ScreenedMatmulTest, SaysWhatItCannotMultiply) {
  const Tensor weight = tensor_of(random_values(10 * 4, 1), {10, 4}, DType::f32, region_);
  const Tensor a = tensor_of(random_values(1 * 4, 2), {1, 4}, DType::f32, region_);
  EXPECT_THAT(message_of<InvalidArgument>([&] { screened_matmul(a, weight, 1, c_); }),
              HasSubstr("is not packed"));
  PackedWeights packed(weight);
  EXPECT_THAT(message_of<InvalidArgument>([&] { screened_matmul(a, weight, 0, c_); }),
              HasSubstr("1 to 8 can be"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { screened_matmul(a, weight, 9, c_); }),
              HasSubstr("1 to 8 can be"));
  const Tensor other = tensor_of(random_values(1 * 5, 3), {1, 5}, DType::f32, region_);
  EXPECT_THAT(message_of<InvalidArgument>([&] { screened_matmul(other, weight, 1, c_); }),
              HasSubstr("do not multiply"));
}

}  // namespace
}  // namespace yona::testing
