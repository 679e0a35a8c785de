#include "bench/ops/cuda/cublaslt.h"

#include <cuda_runtime.h>

#include "yona/base/error.h"

namespace yona::bench {

namespace {

void check_status(int status, const char* what) {
  check<DeviceError>(status == 0, "bench_ops: {}: status {}", what, status);
}

// Row-major [rows, cols] is column-major [cols, rows].
cublasLtMatrixLayout_t layout_of(const View& view) {
  cublasLtMatrixLayout_t layout = nullptr;
  check_status(
      cublasLtMatrixLayoutCreate(&layout, CUDA_R_16BF, static_cast<std::uint64_t>(view.cols),
                                 static_cast<std::uint64_t>(view.rows), view.stride),
      "describing a matrix");
  return layout;
}

}  // namespace

// cᵀ = op(b)ᵀ · op(a)ᵀ in columns.
CublasProduct::CublasProduct(const MatmulArgs& args)
    : args_(args), left_(layout_of(args.b)), right_(layout_of(args.a)), result_(layout_of(args.c)) {
  check_status(cublasLtCreate(&handle_), "starting cuBLASLt");
  check_status(cudaMalloc(&workspace_, kWorkspace), "taking a workspace");
  check_status(cublasLtMatmulDescCreate(&operation_, CUBLAS_COMPUTE_32F, CUDA_R_32F),
               "describing a product");
  const cublasOperation_t left = args.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t right = args.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  check_status(
      cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_TRANSA, &left, sizeof(left)),
      "describing a product");
  check_status(cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_TRANSB, &right,
                                              sizeof(right)),
               "describing a product");
  cublasLtMatmulPreference_t preference = nullptr;
  check_status(cublasLtMatmulPreferenceCreate(&preference), "choosing an algorithm");
  check_status(
      cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                           &kWorkspace, sizeof(kWorkspace)),
      "choosing an algorithm");
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  check_status(cublasLtMatmulAlgoGetHeuristic(handle_, operation_, left_, right_, result_, result_,
                                              preference, 1, &found, &count),
               "choosing an algorithm");
  cublasLtMatmulPreferenceDestroy(preference);
  check<DeviceError>(count == 1, "bench_ops: cuBLASLt has no algorithm");
  algorithm_ = found.algo;
}

CublasProduct::~CublasProduct() {
  cublasLtMatrixLayoutDestroy(left_);
  cublasLtMatrixLayoutDestroy(right_);
  cublasLtMatrixLayoutDestroy(result_);
  cublasLtMatmulDescDestroy(operation_);
  cudaFree(workspace_);
  cublasLtDestroy(handle_);
}

void CublasProduct::launch(void* stream) const {
  const float one = 1.0F;
  const float zero = 0.0F;
  check_status(cublasLtMatmul(handle_, operation_, &one, args_.b.data, left_, args_.a.data, right_,
                              &zero, args_.c.data, result_, args_.c.data, result_, &algorithm_,
                              workspace_, kWorkspace, static_cast<cudaStream_t>(stream)),
               "multiplying");
}

}  // namespace yona::bench
