#include "yona/train/bench_peak.h"

#include <array>

#include "yona/backend/backend.h"
#include "yona/tensor/context.h"
#include "yona/train/bench_timing.h"

namespace yona {

namespace {

struct ProductSize {
  std::int64_t m, n, k;
  double operations() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

}  // namespace

Json bench_peak(Precision precision, int threads, double seconds) {
  constexpr std::array<ProductSize, 4> kSizes{
      {{1024, 1024, 1024}, {2048, 2048, 512}, {2048, 512, 2048}, {2048, 2048, 2048}}};
  const auto backend = make_backend("cpu", {.threads = threads});
  Region region(*backend, std::int64_t{1} << 28U);
  const Context c{.region = region};
  const auto filled = [&](const Shape& shape) {  // zeros would cost less energy, and so less time
    Tensor tensor = c.empty(DType::f32, shape);
    c.kernels().fill({.y = tensor.view(), .value = 0.37F}, c.exec());
    return tensor;
  };
  double best = 0;
  ProductSize fastest{};
  for (const ProductSize& size : kSizes) {
    const Tensor a = filled(Shape{size.m, size.k});
    const Tensor b = filled(Shape{size.k, size.n});
    const Tensor product = filled(Shape{size.m, size.n});
    double spent = 0;
    for (int repeat = 0; repeat < 3 || spent < seconds / kSizes.size(); ++repeat) {
      const double took = seconds_of([&] {
        c.kernels().matmul(
            {.a = a.view(), .b = b.view(), .c = product.view(), .precision = precision}, c.exec());
      });
      spent += took;
      if (size.operations() / took > best) {
        best = size.operations() / took;
        fastest = size;
      }
    }
  }
  return {{"engine", "yona"},
          {"dtype", precision == Precision::bf16 ? "bfloat16" : "float32"},
          {"threads", backend->exec().pool->threads()},
          {"gflops", best / 1e9},
          {"m", fastest.m},
          {"n", fastest.n},
          {"k", fastest.k}};
}

}  // namespace yona
