// Products on the device in every combination of types that training uses.

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

class CudaMatmul : public CudaTest {
 protected:
  struct Types {
    DType a, b, c, bias;
    Precision precision;
  };
  static void expect_reference(std::int64_t m, std::int64_t n, std::int64_t k, const Types& types) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        SCOPED_TRACE(::testing::Message()
                     << m << "×" << k << "×" << n << (transpose_a ? " aᵀ" : "")
                     << (transpose_b ? " bᵀ " : " ") << name_of(types.a) << name_of(types.c));
        const Both a(transpose_a ? k : m, transpose_a ? m : k, types.a, 1);
        const Both b(transpose_b ? n : k, transpose_b ? k : n, types.b, 2);
        const Both c(m, n, types.c, 3);
        const Both bias(1, n, types.bias, 4);
        run(&Kernels::matmul, [&](bool on) {
          return MatmulArgs{.a = a.view(on),
                            .b = b.view(on),
                            .c = c.view(on),
                            .transpose_a = transpose_a,
                            .transpose_b = transpose_b,
                            .accumulate = transpose_a,
                            .bias = bias.view(on),
                            .activation = transpose_b ? Activation::relu : Activation::none,
                            .precision = types.precision};
        });
        c.expect_equal("product");
      }
    }
  }
};

TEST_F(CudaMatmul, IsTheReferencesInEveryType) {
  const std::vector<Types> combinations = {
      {DType::f32, DType::f32, DType::f32, DType::f32, Precision::f32},
      {DType::f32, DType::f32, DType::f32, DType::f32, Precision::bf16},
      {DType::bf16, DType::bf16, DType::bf16, DType::f32, Precision::bf16},
      {DType::bf16, DType::bf16, DType::bf16, DType::bf16, Precision::bf16},
      {DType::bf16, DType::bf16, DType::f32, DType::f32, Precision::bf16},
      {DType::bf16, DType::f32, DType::bf16, DType::f32, Precision::bf16}};
  for (const Types& types : combinations) {
    expect_reference(1, 1, 1, types);
    expect_reference(5, 7, 3, types);
    expect_reference(33, 65, 17, types);
    expect_reference(200, 512, 256, types);
    expect_reference(301, 96, 1000, types);
  }
}

TEST_F(CudaMatmul, OfEmptySumsIsBiasAndActivation) {
  const Both a(3, 0, DType::f32, 1);
  const Both b(4, 0, DType::f32, 2);
  const Both c(3, 4, DType::f32, 3);
  const Both bias(1, 4, DType::f32, 4);
  run(&Kernels::matmul, [&](bool on) {
    return MatmulArgs{.a = a.view(on),
                      .b = b.view(on),
                      .c = c.view(on),
                      .transpose_b = true,
                      .bias = bias.view(on),
                      .activation = Activation::relu};
  });
  c.expect_equal("product");
}

}  // namespace
}  // namespace yona::testing
