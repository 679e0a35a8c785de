// Means of sequences' rows and their gradient against the reference.

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

struct Means {
  Matrix x, y;
  std::vector<std::int64_t> offsets;
  bool backward, accumulate;
  SegmentMeanArgs args() {
    return {.x = x.view(),
            .y = y.view(),
            .offsets = offsets.data(),
            .segments = static_cast<std::int64_t>(offsets.size()) - 1,
            .accumulate = accumulate};
  }
  std::vector<Matrix*> outputs() { return {backward ? &x : &y}; }
};

TEST(CpuSegmentMean, IsTheReferences) {
  const std::vector<std::int64_t> offsets{0, 0, 5, 6, 6, 90, 100};
  for (const std::int64_t cols : test::kWidths) {
    SCOPED_TRACE(testing::Message() << cols);
    const Matrix x = Matrix::random(100, cols, 1, 3);
    const Matrix y = Matrix::random(6, cols, 2, 1);
    test::expect_like_reference(Means{x, y, offsets, false, false}, &Kernels::segment_mean);
    for (const bool accumulate : {false, true}) {
      test::expect_like_reference(Means{x, y, offsets, true, accumulate},
                                  &Kernels::segment_mean_backward);
    }
  }
}

}  // namespace
}  // namespace yona
