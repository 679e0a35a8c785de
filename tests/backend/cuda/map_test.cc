// Functions and products of single elements on the device, in f32 and bf16, at widths around packs
// and chunks, added to what is there or not.

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

constexpr DType kMapTypes[] = {DType::f32, DType::bf16};
constexpr std::int64_t kMapWidths[] = {1, 7, 8, 100, 256, 257, 2048};
constexpr std::int64_t kMapRows = 19;

struct MapKernels {
  const char* name;
  Kernel<RowsArgs> Kernels::*forward;
  Kernel<RowsBackwardArgs> Kernels::*backward;
};

class CudaMap : public CudaTest {};

TEST_F(CudaMap, ActivationsAndTheirGradientsAreTheReferences) {
  const MapKernels functions[] = {{"gelu", &Kernels::gelu, &Kernels::gelu_backward},
                                  {"gelu_tanh", &Kernels::gelu_tanh, &Kernels::gelu_tanh_backward},
                                  {"silu", &Kernels::silu, &Kernels::silu_backward},
                                  {"tanh", &Kernels::tanh, &Kernels::tanh_backward},
                                  {"sigmoid", &Kernels::sigmoid, &Kernels::sigmoid_backward}};
  for (const MapKernels& function : functions) {
    for (const DType dtype : kMapTypes) {
      for (const std::int64_t cols : kMapWidths) {
        SCOPED_TRACE(::testing::Message() << function.name << " " << cols << " " << name_of(dtype));
        const Both x(kMapRows, cols, dtype, 1, -9.0, 9.0);
        const Both y(kMapRows, cols, dtype, 2);
        run(function.forward, [&](bool on) { return RowsArgs{.x = x.view(on), .y = y.view(on)}; });
        y.expect_equal("y");
        const Both dy(kMapRows, cols, dtype, 3);
        for (const bool accumulate : {false, true}) {
          const Both dx(kMapRows, cols, dtype, 4);
          run(function.backward, [&](bool on) {
            return RowsBackwardArgs{.saved = x.view(on),
                                    .dy = dy.view(on),
                                    .dx = dx.view(on),
                                    .accumulate = accumulate};
          });
          dx.expect_equal(accumulate ? "dx, added" : "dx");
        }
      }
    }
  }
}

TEST_F(CudaMap, ProductsOfElementsAreTheReferences) {
  for (const DType dtype : kMapTypes) {
    for (const std::int64_t cols : kMapWidths) {
      SCOPED_TRACE(::testing::Message() << cols << " " << name_of(dtype));
      const Both a(kMapRows, cols, dtype, 1);
      const Both b(kMapRows, cols, dtype, 2);
      for (const bool accumulate : {false, true}) {
        const Both y(kMapRows, cols, dtype, 3);
        run(&Kernels::multiply, [&](bool on) {
          return MultiplyArgs{
              .a = a.view(on), .b = b.view(on), .y = y.view(on), .accumulate = accumulate};
        });
        y.expect_equal(accumulate ? "product, added" : "product");
      }
      run(&Kernels::multiply, [&](bool on) {  // in place
        return MultiplyArgs{.a = a.view(on), .b = b.view(on), .y = b.view(on)};
      });
      b.expect_equal("product in an operand's place");
    }
  }
}

}  // namespace
}  // namespace yona::testing
