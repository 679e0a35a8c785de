// The product that ends in the gradient behind GELU: sizes of Hopper's kernels and others, which go
// through the plain composition.

#include "yona/backend/gelu_gradient.h"

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

class CudaGeluGradientProduct : public CudaTest {
 protected:
  static void expect_reference(std::int64_t rows, std::int64_t depth, std::int64_t cols,
                               DType dtype) {
    for (const GeluForm form : {GeluForm::exact, GeluForm::tanh}) {
      SCOPED_TRACE(::testing::Message() << rows << "×" << depth << "×" << cols);
      const Both dy(rows, depth, dtype, 1);
      const Both weight(depth, cols, dtype, 2);
      const Both z(rows, cols, dtype, 3);
      const Both dz(rows, cols, dtype, 4);  // overwritten
      const Both db(1, cols, DType::f32, 5);
      run(&Kernels::gelu_gradient_product, [&](bool on) {
        return GeluGradientProductArgs{.dy = dy.view(on),
                                       .weight = weight.view(on),
                                       .z = z.view(on),
                                       .dz = dz.view(on),
                                       .bias_gradient = db.view(on),
                                       .form = form};
      });
      dz.expect_equal("dz");
      db.expect_equal("db", dtype == DType::bf16 ? 1e-2 : 1e-4);
    }
  }
};

TEST_F(CudaGeluGradientProduct, IsTheReferences) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    expect_reference(1, 64, 256, dtype);
    expect_reference(300, 320, 512, dtype);
    expect_reference(130, 100, 256, dtype);  // not as Hopper's kernels want it
    expect_reference(130, 64, 200, dtype);
    expect_reference(7, 5, 3, dtype);
  }
}

// Weights in registers up to 256 and up to 512 deep, and not in registers.
TEST_F(CudaGeluGradientProduct, OfEveryDepthIsTheReferences) {
  for (const std::int64_t depth : {192, 256, 448, 512, 576, 768, 1024}) {
    expect_reference(193, depth, 512, DType::bf16);
  }
}

// Beside the composition on the GPU: the same bits but for the order of sums, and twice the same.
TEST_F(CudaGeluGradientProduct, OfManyTilesIsTheComposition) {
  for (const GeluForm form : {GeluForm::exact, GeluForm::tanh}) {
    const std::int64_t rows = 9001;
    const std::int64_t cols = 3072;
    const Both dy(rows, 768, DType::bf16, 1);
    const Both weight(768, cols, DType::bf16, 2);
    const Both z(rows, cols, DType::bf16, 3);
    std::vector<std::vector<double>> dz_values;
    std::vector<std::vector<double>> db_values;
    for (int round = 0; round < 3; ++round) {
      const Both dz(rows, cols, DType::bf16, 4 + static_cast<std::uint64_t>(round));
      const Both db(1, cols, DType::f32, 9);
      const GeluGradientProductArgs args{.dy = dy.view(true),
                                         .weight = weight.view(true),
                                         .z = z.view(true),
                                         .dz = dz.view(true),
                                         .bias_gradient = db.view(true),
                                         .form = form};
      if (round == 0) {
        compose_gelu_gradient(cuda().kernels(), args, cuda().exec());
      } else {
        cuda().kernels().gelu_gradient_product(args, cuda().exec());
      }
      dz_values.push_back(dz.device_values());
      db_values.push_back(db.device_values());
    }
    expect_near(dz_values[1], dz_values[0], kCudaBf16, "dz");
    expect_near(db_values[1], db_values[0], 1e-2, "db");
    EXPECT_EQ(dz_values[2], dz_values[1]);
    EXPECT_EQ(db_values[2], db_values[1]);
  }
}

}  // namespace
}  // namespace yona::testing
