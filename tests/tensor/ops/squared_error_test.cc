#include "yona/tensor/ops/squared_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SquaredError, HasTheGradientTwiceTheWeightedDifference) {
  for (const char* name : {"reference", "cpu"}) {
    Region region(shared_backend(name), 1 << 20);
    Tape tape;
    Context c{.region = region, .tape = &tape};
    Tensor y = tensor_of({1.0, 2.0, -3.0}, {3, 1}, DType::f32, region);
    y.set_requires_gradient();
    const Tensor t = tensor_of({0.5, 2.0, 1.0}, {3, 1}, DType::f32, region);
    const Tensor scale = tensor_of({1.0, 1.0, 0.25}, {3, 1}, DType::f32, region);
    const Tensor loss = squared_error(y, t, scale, c);
    EXPECT_THAT(values_of(loss), ElementsAre(0.25, 0.0, 16.0)) << name;
    EXPECT_THAT(values_of(y.gradient()), ElementsAre(1.0, 0.0, -2.0)) << name;
  }
}

TEST(SquaredError, ShapesThatDifferAreRefused) {
  Region region(shared_backend("cpu"), 1 << 20);
  Context c{.region = region};
  const Tensor y = tensor_of({1.0, 2.0}, {2, 1}, DType::f32, region);
  const Tensor t = tensor_of({1.0}, {1, 1}, DType::f32, region);
  EXPECT_THAT(message_of<InvalidArgument>([&] { squared_error(y, t, {}, c); }),
              HasSubstr("squared_error: [2, 1] of f32 and [1, 1] of f32 differ"));
}

}  // namespace
}  // namespace yona::testing
