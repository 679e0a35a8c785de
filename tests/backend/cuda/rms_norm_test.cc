// RMS norm and its gradients on the device, in f32 and bf16 and at widths around packs and chunks.

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

class CudaRmsNorm : public CudaTest {
 protected:
  // With the mean square of rows away from zero, as a norm's inputs are.
  static void expect_reference(std::int64_t rows, std::int64_t cols, DType dtype) {
    SCOPED_TRACE(::testing::Message() << rows << "×" << cols << " " << name_of(dtype));
    const double tolerance = dtype == DType::bf16 ? 3e-2 : 1e-4;
    const Both x(rows, cols, dtype, 1, 0.25, 1.0);
    const Both y(rows, cols, dtype, 2);
    const Both weight(1, cols, DType::f32, 3);
    const Both statistics(rows, 1, DType::f32, 4);
    const auto forward = [&](bool on) {
      return RmsNormArgs{.x = x.view(on),
                         .y = y.view(on),
                         .weight = weight.view(on),
                         .statistics = statistics.view(on)};
    };
    run(&Kernels::rms_norm, forward);
    y.expect_equal("y", tolerance);
    statistics.expect_equal("statistics", 1e-5);
    statistics.set(statistics.device_values());
    const Both dy(rows, cols, dtype, 5);
    const Both dweight(1, cols, DType::f32, 6);
    for (const bool accumulate : {false, true}) {
      const Both dx(rows, cols, dtype, 7);
      run(&Kernels::rms_norm_backward, [&](bool on) {
        return RmsNormBackwardArgs{.forward = forward(on),
                                   .dy = dy.view(on),
                                   .dx = dx.view(on),
                                   .accumulate_dx = accumulate,
                                   .dweight = accumulate ? View{} : dweight.view(on)};
      });
      dx.expect_equal(accumulate ? "dx, added" : "dx", tolerance);
    }
    dweight.expect_equal("dweight", 1e-4);
  }
};

TEST_F(CudaRmsNorm, AndItsGradientsAreTheReferences) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    for (const std::int64_t cols : {1, 7, 8, 100, 256, 257, 512, 1000, 1024, 2048}) {
      for (const std::int64_t rows : {1, 9, 700}) {
        expect_reference(rows, cols, dtype);
      }
    }
    expect_reference(4000, 64, dtype);  // more rows than the grid has warps
  }
}

TEST_F(CudaRmsNorm, LeavesOutTheInputsGradientWhereNobodyWantsIt) {
  const Both x(40, 96, DType::f32, 1);
  const Both weight(1, 96, DType::f32, 2);
  const Both statistics(40, 1, DType::f32, 3, 0.5, 1.0);
  const Both dy(40, 96, DType::f32, 4);
  const Both dweight(1, 96, DType::f32, 5);
  run(&Kernels::rms_norm_backward, [&](bool on) {
    return RmsNormBackwardArgs{
        .forward = {.x = x.view(on), .weight = weight.view(on), .statistics = statistics.view(on)},
        .dy = dy.view(on),
        .dweight = dweight.view(on)};
  });
  dweight.expect_equal("dweight", 1e-4);
}

}  // namespace
}  // namespace yona::testing
