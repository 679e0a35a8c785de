// Batch norm and its gradients on the device, in f32 and bf16, at sizes around slices of rows and
// blocks of columns.

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

class CudaBatchNorm : public CudaTest {
 protected:
  static void expect_reference(std::int64_t rows, std::int64_t cols, DType dtype,
                               BatchStatistics use) {
    SCOPED_TRACE(::testing::Message() << rows << "×" << cols << " " << name_of(dtype));
    const double tolerance = dtype == DType::bf16 ? 3e-2 : 1e-4;
    const Both x(rows, cols, dtype, 1, 0.25, 1.0);
    const Both y(rows, cols, dtype, 2);
    const Both weight(1, cols, DType::f32, 3);
    const Both bias(1, cols, DType::f32, 4);
    const Both mean(1, cols, DType::f32, 5);
    const Both variance(1, cols, DType::f32, 6, 0.5, 1.5);
    const Both statistics(2, cols, DType::f32, 7);
    const auto forward = [&](bool on) {
      return BatchNormArgs{.x = x.view(on),
                           .y = y.view(on),
                           .weight = weight.view(on),
                           .bias = bias.view(on),
                           .running_mean = mean.view(on),
                           .running_variance = variance.view(on),
                           .statistics = statistics.view(on),
                           .use = use};
    };
    run(&Kernels::batch_norm, forward);
    y.expect_equal("y", tolerance);
    statistics.expect_equal("statistics", 1e-4);
    mean.expect_equal("running mean", 1e-5);
    variance.expect_equal("running variance", 1e-5);
    statistics.set(statistics.device_values());
    const Both dy(rows, cols, dtype, 8);
    const Both sums(2, cols, DType::f32, 9);
    const Both dweight(1, cols, DType::f32, 10);
    const Both dbias(1, cols, DType::f32, 11);
    for (const bool accumulate : {false, true}) {
      const Both dx(rows, cols, dtype, 12);
      run(&Kernels::batch_norm_backward, [&](bool on) {
        return BatchNormBackwardArgs{.forward = forward(on),
                                     .dy = dy.view(on),
                                     .dx = dx.view(on),
                                     .accumulate_dx = accumulate,
                                     .sums = sums.view(on),
                                     .dweight = accumulate ? View{} : dweight.view(on),
                                     .dbias = dbias.view(on)};
      });
      dx.expect_equal(accumulate ? "dx, added" : "dx", tolerance);
    }
    dweight.expect_equal("dweight", 1e-4);
    dbias.expect_equal("dbias", 1e-4);
  }
};

TEST_F(CudaBatchNorm, AndItsGradientsAreTheReferences) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    for (const BatchStatistics use : {BatchStatistics::of_batch, BatchStatistics::running}) {
      for (const std::int64_t cols : {1, 31, 33, 300}) {
        for (const std::int64_t rows : {2, 255, 257, 700}) {
          expect_reference(rows, cols, dtype, use);
        }
      }
    }
  }
}

}  // namespace
}  // namespace yona::testing
