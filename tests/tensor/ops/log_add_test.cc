#include "yona/tensor/ops/log_add.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

TEST(LogAdd, IsTheLogarithmOfTheSumOfProbabilities) {
  for (const std::string_view backend : {"reference", "cpu"}) {
    Region region(shared_backend(backend), std::int64_t{1} << 20U);
    Context c{.region = region};
    const Tensor a = tensor_of({std::log(0.25), -400, -INFINITY, -INFINITY, -INFINITY}, {1, 5},
                               DType::f32, region);
    const Tensor b =
        tensor_of({std::log(0.75), -400, -3, -INFINITY, NAN}, {1, 5}, DType::f32, region);
    const std::vector<double> sum = values_of(log_add(a, b, static_cast<float>(-std::log(2)), c));
    expect_near({sum[0], sum[1], sum[2]}, {-std::log(2), -400, -3 - std::log(2)}, 1e-6, backend);
    EXPECT_EQ(sum[3], -INFINITY);
    EXPECT_TRUE(std::isnan(sum[4]));
  }
}

TEST(LogAdd, RefusesShapesThatDiffer) {
  Region region(shared_backend("reference"), std::int64_t{1} << 20U);
  Context c{.region = region};
  const Tensor a = tensor_of({1, 2}, {1, 2}, DType::f32, region);
  const Tensor b = tensor_of({1, 2}, {2, 1}, DType::f32, region);
  EXPECT_EQ(message_of<InvalidArgument>([&] { log_add(a, b, 0, c); }),
            "log_add: [1, 2] of f32 and [2, 1] of f32 differ");
}

}  // namespace
}  // namespace yona::testing
