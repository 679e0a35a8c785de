// The product that ends in the gradient behind relu: sizes of Hopper's kernel and others, which go
// through the plain composition.

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

class CudaReluGradientProduct : public CudaTest {
 protected:
  static void expect_reference(std::int64_t rows, std::int64_t depth, std::int64_t cols,
                               DType dtype) {
    SCOPED_TRACE(::testing::Message() << rows << "×" << depth << "×" << cols);
    const Both dy(rows, depth, dtype, 1);
    const Both weight(depth, cols, dtype, 2);
    const Both y(rows, cols, dtype, 3);
    const Both dz(rows, cols, dtype, 4);  // overwritten
    const Both db(1, cols, DType::f32, 5);
    run(&Kernels::relu_gradient_product, [&](bool on) {
      return ReluGradientProductArgs{.dy = dy.view(on),
                                     .weight = weight.view(on),
                                     .y = y.view(on),
                                     .dz = dz.view(on),
                                     .bias_gradient = db.view(on),
                                     .scale = 1.25F};
    });
    dz.expect_equal("dz");
    db.expect_equal("db", dtype == DType::bf16 ? 1e-2 : 1e-4);
  }
};

TEST_F(CudaReluGradientProduct, IsTheReferences) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    expect_reference(1, 64, 256, dtype);
    expect_reference(64, 64, 256, dtype);
    expect_reference(128, 128, 256, dtype);
    expect_reference(300, 320, 512, dtype);
    expect_reference(130, 100, 256, dtype);  // not as Hopper's kernel wants it
    expect_reference(130, 64, 200, dtype);
    expect_reference(7, 5, 3, dtype);
  }
}

TEST_F(CudaReluGradientProduct, OfMoreTilesThanBlocksIsTheReferences) {
  expect_reference(5000, 64, 2048, DType::bf16);
}

// Columns of larger matrices, a weight that is a part of the model's buffer, and nothing to add to.
TEST_F(CudaReluGradientProduct, TakesPartsAndNoBias) {
  const Both dy(200, 192, DType::bf16, 1);
  const Both weight(128, 512, DType::bf16, 2);
  const Both y(200, 768, DType::bf16, 3);
  const Both dz(200, 768, DType::bf16, 4);
  const auto part = [](View view, std::int64_t first, std::int64_t cols) {
    view.data =
        static_cast<char*>(view.data) + first * static_cast<std::int64_t>(size_of(view.dtype));
    view.cols = cols;
    return view;
  };
  run(&Kernels::relu_gradient_product, [&](bool on) {
    return ReluGradientProductArgs{.dy = part(dy.view(on), 64, 128),
                                   .weight = weight.view(on),
                                   .y = part(y.view(on), 256, 512),
                                   .dz = part(dz.view(on), 8, 512)};
  });
  dz.expect_equal("dz");
}

}  // namespace
}  // namespace yona::testing
