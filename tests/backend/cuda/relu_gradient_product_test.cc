// The product that ends in the gradient behind relu: sizes of Hopper's kernels and others, which go
// through the plain composition.

#include "tests/backend/cuda/both.h"
#include "tests/harness/product_sizes.h"

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
  // Beside the product and the pass over it, on the GPU: sizes for which the reference takes long.
  static void expect_composition(std::int64_t rows, std::int64_t depth, std::int64_t cols,
                                 float scale) {
    SCOPED_TRACE(::testing::Message() << rows << "×" << depth << "×" << cols);
    const Both dy(rows, depth, DType::bf16, 1);
    const Both weight(depth, cols, DType::bf16, 2);
    const Both y(rows, cols, DType::bf16, 3);
    const Both dz(rows, cols, DType::bf16, 4);  // overwritten
    const Both db(1, cols, DType::f32, 5);
    const Both plain_dz(rows, cols, DType::bf16, 6);  // overwritten
    const Both plain_db(1, cols, DType::f32, 5);
    ReluGradientProductArgs args{.dy = dy.view(true),
                                 .weight = weight.view(true),
                                 .y = y.view(true),
                                 .dz = plain_dz.view(true),
                                 .bias_gradient = plain_db.view(true),
                                 .scale = scale};
    cuda().kernels().matmul(args.product(), cuda().exec());
    cuda().kernels().bias_activation_backward(args.gradient(), cuda().exec());
    args.dz = dz.view(true);
    args.bias_gradient = db.view(true);
    cuda().kernels().relu_gradient_product(args, cuda().exec());
    expect_near(dz.device_values(), plain_dz.device_values(), kCudaBf16, "dz");
    expect_near(db.device_values(), plain_db.device_values(), 1e-2, "db");
  }
  static View part(View view, std::int64_t first, std::int64_t cols) {
    view.data =
        static_cast<char*>(view.data) + first * static_cast<std::int64_t>(size_of(view.dtype));
    view.cols = cols;
    return view;
  }
};

TEST_F(CudaReluGradientProduct, IsTheReferences) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    expect_reference(1, 64, 256, dtype);
    expect_reference(64, 64, 256, dtype);
    expect_reference(128, 128, 256, dtype);
    expect_reference(300, 320, 512, dtype);
    expect_reference(130, 100, 256, dtype);  // not as Hopper's kernels want it
    expect_reference(130, 64, 200, dtype);
    expect_reference(7, 5, 3, dtype);
  }
}

// Weights in registers up to 256 and up to 512 deep, and not in registers.
TEST_F(CudaReluGradientProduct, OfEveryDepthIsTheReferences) {
  for (const std::int64_t depth : {64, 192, 256, 320, 448, 512, 576, 640, 768, 1024}) {
    expect_reference(1, depth, 256, DType::bf16);
    expect_reference(193, depth, 512, DType::bf16);
  }
}

// Ranges of rows alone, clusters that share the rows left over, more of them than rows are left for
// and more columns than clusters.
TEST_F(CudaReluGradientProduct, OfMoreTilesThanBlocksIsTheReferences) {
  expect_reference(5000, 64, 2048, DType::bf16);
  expect_reference(8321, 64, 256, DType::bf16);
  expect_reference(9001, 64, 1280, DType::bf16);
  expect_reference(3333, 320, 1536, DType::bf16);
  expect_reference(1153, 64, 12800, DType::bf16);
  expect_reference(257, 64, 18432, DType::bf16);
}

// The same of those whose weights are not in registers: tiles of 256 rows, a part of one, and
// pieces of 64 rows of it; columns of one cluster and of many.
TEST_F(CudaReluGradientProduct, OfPartsOfDeepTilesIsTheReferences) {
  for (const std::int64_t depth : {576, 640, 768, 1024}) {
    for (const std::int64_t rows : {63, 65, 257}) {
      expect_reference(rows, depth, 256, DType::bf16);
    }
  }
  expect_reference(257, 640, 1280, DType::bf16);
  expect_reference(65, 1024, 4096, DType::bf16);
}

TEST_F(CudaReluGradientProduct, OfTheSizesThatAreTimedIsTheComposition) {
  for (const ProductSize& size : kGradientProducts) {
    expect_composition(size.rows, size.depth, size.cols, 1.25F);
  }
}

// One tile after another, whose pieces end beside the products of the next; clusters that share the
// rows left over, which change columns from tile to tile; more columns than clusters.
TEST_F(CudaReluGradientProduct, OfMoreDeepTilesThanBlocksIsTheComposition) {
  expect_composition(17001, 576, 256, 1.0F);
  expect_composition(9001, 640, 1280, 1.25F);
  expect_composition(4300, 1024, 4096, 1.0F);
  expect_composition(700, 768, 10240, 1.25F);
  expect_composition(257, 576, 18432, 1.0F);
}

// Columns of larger matrices, a weight that is a part of the model's buffer, and nothing to add to.
TEST_F(CudaReluGradientProduct, TakesPartsAndNoBias) {
  for (const std::int64_t depth : {128, 448, 640}) {
    const Both dy(200, depth + 64, DType::bf16, 1);
    const Both weight(depth, 768, DType::bf16, 2);
    const Both y(200, 768, DType::bf16, 3);
    const Both dz(200, 768, DType::bf16, 4);  // overwritten in part
    run(&Kernels::relu_gradient_product, [&](bool on) {
      return ReluGradientProductArgs{.dy = part(dy.view(on), 64, depth),
                                     .weight = part(weight.view(on), 128, 512),
                                     .y = part(y.view(on), 256, 512),
                                     .dz = part(dz.view(on), 8, 512)};
    });
    dz.expect_equal("dz");
  }
}

// The same call gives the same bits, and adds the same sums to the bias gradient.
TEST_F(CudaReluGradientProduct, IsTheSameTwice) {
  for (const std::int64_t depth : {256, 512, 576, 1024}) {
    const std::int64_t rows = 4099;
    const std::int64_t cols = 1280;
    const Both dy(rows, depth, DType::bf16, 1);
    const Both weight(depth, cols, DType::bf16, 2);
    const Both y(rows, cols, DType::bf16, 3);
    std::vector<double> dz_before;
    std::vector<double> db_before;
    for (int round = 0; round < 3; ++round) {
      const Both dz(rows, cols, DType::bf16, 4 + static_cast<std::uint64_t>(round));
      const Both db(1, cols, DType::f32, 9);
      cuda().kernels().relu_gradient_product(ReluGradientProductArgs{.dy = dy.view(true),
                                                                     .weight = weight.view(true),
                                                                     .y = y.view(true),
                                                                     .dz = dz.view(true),
                                                                     .bias_gradient = db.view(true),
                                                                     .scale = 1.25F},
                                             cuda().exec());
      if (round > 0) {
        EXPECT_EQ(dz.device_values(), dz_before) << "dz at depth " << depth;
        EXPECT_EQ(db.device_values(), db_before) << "db at depth " << depth;
      }
      dz_before = dz.device_values();
      db_before = db.device_values();
    }
  }
}

}  // namespace
}  // namespace yona::testing
