// oneDNN as the CPU backend uses it: one product of one slice, computed by the calling thread
// alone.
//
// Debian's oneDNN is built on OpenMP. Our pool cuts the work, so every call holds OpenMP to a
// single thread and puts the caller's setting back afterwards.
#pragma once

#include <cstdint>

#include "yona/backend/kernel_args.h"

namespace yona::cpu {

// c[m, n] = op(a) · op(b) (+ c) (+ bias), then the activation. `lda` … are row strides in memory.
struct ProductShape {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t lda = 0, ldb = 0, ldc = 0;
  bool transpose_a = false, transpose_b = false;
  bool accumulate = false;
  bool bias = false;
  Activation activation = Activation::none;
  DType operands = DType::f32;  // or bf16; c and bias are f32

  bool operator==(const ProductShape&) const = default;
};

struct ProductData {
  const void* a = nullptr;
  const void* b = nullptr;
  float* c = nullptr;
  const float* bias = nullptr;
};

// By a oneDNN primitive. Its machine code is made once for each shape, which is slow, and kept, as
// is what a thread needs to call it: for shapes that come again. Throws DeviceError where oneDNN
// cannot do it.
void run_primitive(const ProductShape& shape, const ProductData& data);

// By dnnl_sgemm, which takes any shape of f32 without preparation: for shapes that come once.
void run_sgemm(const ProductShape& shape, const ProductData& data);

// Can oneDNN multiply bf16 on this machine, be it by emulation?
bool onednn_has_bf16();

}  // namespace yona::cpu
