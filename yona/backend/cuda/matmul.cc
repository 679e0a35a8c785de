// Matrix products by cuBLASLt, with bias and activation in its epilogue, or, forward on Hopper, by
// kernels of our own where these are faster (stationary_linear.h). In bf16 and f16, operands that
// are still f32 are rounded into scratch memory first; sums are f32 throughout.

#include <algorithm>

#include "yona/backend/cuda/gemm/matmul_plain.h"
#include "yona/backend/cuda/gemm/matmul_plans.h"
#include "yona/backend/cuda/gemm/own_linear.h"
#include "yona/backend/cuda/runtime/exec.h"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

constexpr std::int64_t kUnit = 8;  // elements that rows of a copy are padded to: 16 bytes

std::int64_t round_up(std::int64_t n) { return (n + kUnit - 1) / kUnit * kUnit; }

int alignment_of(const void* address) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  int alignment = 16;
  while (place % static_cast<std::uintptr_t>(alignment) != 0) {
    alignment /= 2;
  }
  return alignment;
}

bool is_ready(const View& view, DType type) {
  return view.dtype == type && alignment_of(view.data) == 16 && view.stride % kUnit == 0;
}

void convert(const View& from, const View& to, Exec& exec) {
  kernels().add.function()({.a = from, .b = {}, .y = to}, exec);
}

// The operand as bf16 or f16 in aligned rows: itself where it is that already.
View as_type(const View& view, DType type, Exec& exec) {
  if (is_ready(view, type)) {
    return view;
  }
  View copy = view;
  copy.dtype = type;
  copy.stride = round_up(view.cols);
  copy.data = exec_of(exec).scratch.take<std::uint16_t>(view.rows * copy.stride);
  convert(view, copy, exec);
  return copy;
}

std::int64_t scratch_bytes(const View& view, DType type) {
  return is_ready(view, type) ? 0
                              : Scratch::size_for<std::uint16_t>(view.rows * round_up(view.cols));
}

View zeros(std::int64_t rows, std::int64_t cols, Exec& exec) {
  const View view{exec_of(exec).scratch.take<float>(rows * cols), rows, cols, cols, DType::f32};
  kernels().fill.function()({.y = view}, exec);
  return view;
}

// Rows of a and c are tokens, unless a is transposed: then the sum runs over them.
Tokens tokens_of(const MatmulArgs& args) {
  if (!args.transpose_a) {
    return Tokens::cols;
  }
  return args.transpose_b ? Tokens::none : Tokens::depth;
}

void multiply(const MatmulArgs& args, const View& a, const View& b, const View& bias, Exec& exec) {
  MatmulArgs ready = args;
  ready.a = a;
  ready.b = b;
  ready.bias = bias;
  if (multiply_stationary(ready, exec)) {
    return;
  }
  const View& c = args.c;
  // cᵀ = op(b)ᵀ · op(a)ᵀ: what is row-major here is its transpose there.
  const Product product{.rows = c.cols,
                        .cols = c.rows,
                        .depth = args.transpose_a ? a.rows : a.cols,
                        .lda = b.stride,
                        .ldb = a.stride,
                        .ldd = c.stride,
                        .transpose_a = args.transpose_b,
                        .transpose_b = args.transpose_a,
                        .accumulate = args.accumulate,
                        .bias = static_cast<bool>(bias),
                        .relu = args.activation == Activation::relu,
                        .tokens = tokens_of(args),
                        .operands = a.dtype,
                        .result = c.dtype,
                        .alignment_a = alignment_of(b.data),
                        .alignment_b = alignment_of(a.data),
                        .alignment_d = alignment_of(c.data)};
  if (!exec_of(exec).plans->multiply(product, {b.data, a.data, c.data, bias.data},
                                     stream_of(exec))) {
    multiply_plainly(ready, stream_of(exec));
  }
}

DType operand_type(const MatmulArgs& args) {
  const auto is = [&](Precision precision, DType type) {
    return args.precision == precision || args.a.dtype == type || args.b.dtype == type;
  };
  return is(Precision::f16, DType::f16)     ? DType::f16
         : is(Precision::bf16, DType::bf16) ? DType::bf16
                                            : DType::f32;
}

// Sums of nothing: a product with zeros, so that bias and activation are applied as ever.
void multiply_nothing(const MatmulArgs& args, Exec& exec) {
  exec_of(exec).scratch.begin(
      Scratch::size_for<float>(args.c.rows * kUnit) + Scratch::size_for<float>(args.c.cols * kUnit),
      stream_of(exec));
  MatmulArgs padded = args;
  padded.transpose_a = false;
  padded.transpose_b = true;
  multiply(padded, zeros(args.c.rows, kUnit, exec), zeros(args.c.cols, kUnit, exec), args.bias,
           exec);
}

void matmul(const MatmulArgs& args, Exec& exec) {
  check<NotImplemented>(args.c.dtype == DType::f32 || size_of(args.c.dtype) == 2,
                        "matmul: there is no kernel for {} in the cuda backend", args.c.dtype);
  if (args.c.rows * args.c.cols == 0) {
    return;
  }
  if ((args.transpose_a ? args.a.rows : args.a.cols) == 0) {
    multiply_nothing(args, exec);
    return;
  }
  const DType type = operand_type(args);
  if (type == DType::f32) {
    multiply(args, args.a, args.b, args.bias, exec);
    return;
  }
  const bool convert_bias =
      args.bias && (args.bias.dtype != args.c.dtype || alignment_of(args.bias.data) < 16);
  exec_of(exec).scratch.begin(scratch_bytes(args.a, type) + scratch_bytes(args.b, type) +
                                  Scratch::size_for<float>(convert_bias ? args.bias.cols : 0),
                              stream_of(exec));
  const View a = as_type(args.a, type, exec);
  const View b = as_type(args.b, type, exec);
  View bias = args.bias;
  if (convert_bias) {
    bias.dtype = args.c.dtype;
    bias.data = exec_of(exec).scratch.take<float>(bias.cols);
    convert(args.bias, bias, exec);
  }
  multiply(args, a, b, bias, exec);
}

const Registration registration([](Kernels& table) { table.matmul = matmul; });

}  // namespace
}  // namespace yona::cuda
