// Gradients of many weights in one launch: sizes of Hopper's kernel and others, which go through
// matmul one by one.

#include <deque>

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

struct Size {
  std::int64_t tokens, rows, cols;
};

class CudaWeightGradients : public CudaTest {
 protected:
  struct Product {
    Both dy, x, dw;
    bool accumulate;
  };
  static std::deque<Product> products(const std::vector<Size>& sizes, DType dtype) {
    std::deque<Product> result;
    std::uint64_t seed = 1;
    for (const Size& size : sizes) {
      result.push_back({Both(size.tokens, size.rows, dtype, seed),
                        Both(size.tokens, size.cols, dtype, seed + 1),
                        Both(size.rows, size.cols, DType::f32, seed + 2), seed % 2 == 1});
      seed += 3;
    }
    return result;
  }
  static std::vector<WeightGradient> views(const std::deque<Product>& from, bool on_device) {
    std::vector<WeightGradient> result;
    for (const Product& p : from) {
      result.push_back({.dy = p.dy.view(on_device),
                        .x = p.x.view(on_device),
                        .dw = p.dw.view(on_device),
                        .accumulate = p.accumulate});
    }
    return result;
  }
  static void expect_reference(const std::vector<Size>& sizes, DType dtype) {
    const std::deque<Product> all = products(sizes, dtype);
    const std::vector<WeightGradient> host = views(all, false);
    const std::vector<WeightGradient> device = views(all, true);
    run(&Kernels::weight_gradients,
        [&](bool on) { return WeightGradientsArgs{.products = on ? device : host}; });
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      SCOPED_TRACE(::testing::Message()
                   << sizes[i].tokens << "×" << sizes[i].rows << "×" << sizes[i].cols);
      all[i].dw.expect_equal("dw", 1e-4);  // wgmma cuts where it adds
    }
  }
};

TEST_F(CudaWeightGradients, AreTheReferences) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    expect_reference({{64, 256, 256}}, dtype);
    expect_reference({{7, 5, 3}, {1, 256, 256}, {100, 130, 70}}, dtype);
  }
}

// Enough tiles for one launch, with sizes of tokens and weights that are no multiples of anything.
TEST_F(CudaWeightGradients, OfAWholeLayerAreTheReferences) {
  expect_reference({{100, 512, 2048},
                    {100, 2048, 512},
                    {77, 512, 512},
                    {1, 1024, 512},
                    {64, 512, 504},
                    {130, 500, 512},
                    {100, 1536, 512},
                    {50, 8, 8}},
                   DType::bf16);
}

TEST_F(CudaWeightGradients, OfMoreTilesThanBlocksAreTheReferences) {
  expect_reference({{40, 2048, 2048}, {90, 2048, 2048}}, DType::bf16);
}

// Parts of wider matrices and of the model's buffer, twice for equal bits, and beside matmul.
TEST_F(CudaWeightGradients, TakesPartsAndGivesTheSameBits) {
  const Both dy(3000, 4096 + 64, DType::bf16, 1);
  const Both x(3000, 1024 + 8, DType::bf16, 2);
  const Both dw(4096, 1024 + 4, DType::f32, 3);
  const auto part = [](View view, std::int64_t first, std::int64_t cols) {
    view.data =
        static_cast<char*>(view.data) + first * static_cast<std::int64_t>(size_of(view.dtype));
    view.cols = cols;
    return view;
  };
  const std::vector<WeightGradient> products{{.dy = part(dy.device.view(), 64, 4096),
                                              .x = part(x.device.view(), 8, 1024),
                                              .dw = part(dw.device.view(), 2, 1024),
                                              .accumulate = true}};
  const std::vector<float> before = dw.device.to_vector<float>();
  const auto result = [&](const auto& compute) {
    dw.device.upload(before);
    compute();
    return dw.device.to_vector<float>();
  };
  const auto grouped = [&] { cuda().kernels().weight_gradients({products}, cuda().exec()); };
  const std::vector<float> first = result(grouped);
  EXPECT_EQ(first, result(grouped));
  const std::vector<float> plain =
      result([&] { cuda().kernels().matmul(products[0].product(Precision::bf16), cuda().exec()); });
  expect_near({first.begin(), first.end()}, {plain.begin(), plain.end()}, 1e-4, "dw");
}

}  // namespace
}  // namespace yona::testing
