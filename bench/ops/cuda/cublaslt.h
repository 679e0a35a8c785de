// A product by cuBLASLt, with the first algorithm that it proposes: what our own kernels are
// compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cublasLt.h>

#include "yona/backend/kernel_args.h"

namespace yona::bench {

// c = op(a) · op(b) in bf16, row-major: sizes and transpositions are those of the arguments, which
// have neither bias nor activation. Throws DeviceError.
class CublasProduct {
 public:
  explicit CublasProduct(const MatmulArgs& args);
  ~CublasProduct();
  CublasProduct(const CublasProduct&) = delete;
  CublasProduct& operator=(const CublasProduct&) = delete;

  void launch(void* stream) const;

 private:
  static constexpr std::size_t kWorkspace = std::size_t{32} << 20U;

  MatmulArgs args_;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t left_ = nullptr, right_ = nullptr, result_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
  void* workspace_ = nullptr;
};

}  // namespace yona::bench
