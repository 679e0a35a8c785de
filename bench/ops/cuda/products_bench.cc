// Products of training on a GPU, at the sizes that their tests check
// (tests/harness/product_sizes.h) and with 24,576 rows, as batches have: by the kernel table, and
// by cuBLASLt where it does the same. The gradient behind a relu is compared with the composition:
// a product and a pass over it.

#include "bench/ops/cuda/cublaslt.h"
#include "bench/ops/cuda/device.h"
#include "tests/harness/product_sizes.h"

namespace yona::bench {
namespace {

enum Way : std::int64_t { own, plain };

double flops_of(const benchmark::State& state) {
  return 2.0 * static_cast<double>(state.range(1)) * static_cast<double>(state.range(2)) *
         static_cast<double>(state.range(3));
}

// Y = X Wᵀ
void cuda_forward(benchmark::State& state) {
  on_gpu(state, [&] {
    const DeviceMatrix x(state.range(1), state.range(2));
    const DeviceMatrix weight(state.range(3), state.range(2));
    const DeviceMatrix y(state.range(1), state.range(3));
    const MatmulArgs args{.a = x.view(),
                          .b = weight.view(),
                          .c = y.view(),
                          .transpose_b = true,
                          .precision = Precision::bf16};
    const CublasProduct product(args);
    measure_call(state, flops_of(state), peak_flops(), [&] {
      if (state.range(0) == own) {
        gpu().kernels().matmul(args, gpu().exec());
      } else {
        product.launch(gpu().exec().stream);
      }
    });
  });
}

// dZ = dY W ∘ [Y > 0], and its column sums
void cuda_relu_gradient(benchmark::State& state) {
  on_gpu(state, [&] {
    const DeviceMatrix dy(state.range(1), state.range(2));
    const DeviceMatrix weight(state.range(2), state.range(3));
    const DeviceMatrix y(state.range(1), state.range(3));
    const DeviceMatrix dz(state.range(1), state.range(3));
    const DeviceMatrix sums(1, state.range(3), DType::f32);
    const ReluGradientProductArgs args{.dy = dy.view(),
                                       .weight = weight.view(),
                                       .y = y.view(),
                                       .dz = dz.view(),
                                       .bias_gradient = sums.view(),
                                       .precision = Precision::bf16};
    const CublasProduct product(args.product());
    measure_call(state, flops_of(state), peak_flops(), [&] {
      if (state.range(0) == own) {
        gpu().kernels().relu_gradient_product(args, gpu().exec());
      } else {
        product.launch(gpu().exec().stream);
        gpu().kernels().bias_activation_backward(args.gradient(), gpu().exec());
      }
    });
  });
}

template <class Sizes>
void add_sizes(benchmark::internal::Benchmark* each, const Sizes& sizes) {
  constexpr std::int64_t kBatch = 24'576;
  each->UseManualTime()->Unit(benchmark::kMicrosecond)->MinTime(0.2);
  each->ArgNames({"cublaslt", "rows", "depth", "cols"});
  for (const testing::ProductSize& size : sizes) {
    for (const std::int64_t rows : {size.rows, kBatch}) {
      for (const std::int64_t way : {own, plain}) {
        each->Args({way, rows, size.depth, size.cols});
      }
    }
  }
}
BENCHMARK(cuda_forward)->Apply([](auto* each) { add_sizes(each, testing::kForwardProducts); });
BENCHMARK(cuda_relu_gradient)->Apply([](auto* each) {
  add_sizes(each, testing::kGradientProducts);
});

}  // namespace
}  // namespace yona::bench
