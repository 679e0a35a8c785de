#include "yona/backend/cuda/gemm/cublaslt.h"

namespace yona::cuda {

void check_blas(cublasStatus_t status, const char* operation) {
  check<DeviceError>(status == CUBLAS_STATUS_SUCCESS, "cuda: {} failed: {}", operation,
                     cublasLtGetStatusString(status));
}

namespace {

cudaDataType_t type_of(DType dtype) {
  return dtype == DType::bf16 ? CUDA_R_16BF : dtype == DType::f16 ? CUDA_R_16F : CUDA_R_32F;
}

cublasLtMatrixLayoutOpaque_t layout_of(DType dtype, std::int64_t rows, std::int64_t cols,
                                       std::int64_t stride) {
  cublasLtMatrixLayoutOpaque_t layout{};
  check_blas(cublasLtMatrixLayoutInit(&layout, type_of(dtype), static_cast<std::uint64_t>(rows),
                                      static_cast<std::uint64_t>(cols), stride),
             "describing a matrix");
  return layout;
}

template <class Value>
void set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute, Value value) {
  check_blas(cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof(value)),
             "describing a product");
}

cublasLtEpilogue_t epilogue_of(const Product& product) {
  if (product.bias) {
    return product.relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS;
  }
  return product.relu ? CUBLASLT_EPILOGUE_RELU : CUBLASLT_EPILOGUE_DEFAULT;
}

std::size_t bytes_of(Workspace workspace) {
  return workspace == Workspace::whole ? kWorkspaceBytes : 0;
}

class Preference {
 public:
  Preference(const Product& product, Workspace workspace) {
    check_blas(cublasLtMatmulPreferenceCreate(&preference_), "describing a preference");
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, bytes_of(workspace));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
        static_cast<std::uint32_t>(product.alignment_a));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        static_cast<std::uint32_t>(product.alignment_b));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
        static_cast<std::uint32_t>(product.alignment_d));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES,
        static_cast<std::uint32_t>(product.alignment_d));
  }
  ~Preference() { cublasLtMatmulPreferenceDestroy(preference_); }
  Preference(const Preference&) = delete;
  Preference& operator=(const Preference&) = delete;
  cublasLtMatmulPreference_t get() const { return preference_; }

 private:
  template <class Value>
  void set(cublasLtMatmulPreferenceAttributes_t attribute, Value value) {
    check_blas(cublasLtMatmulPreferenceSetAttribute(preference_, attribute, &value, sizeof(value)),
               "describing a preference");
  }
  cublasLtMatmulPreference_t preference_ = nullptr;
};

}  // namespace

Layouts layouts_of(const Product& p) {
  return {p.transpose_a ? layout_of(p.operands, p.depth, p.rows, p.lda)
                        : layout_of(p.operands, p.rows, p.depth, p.lda),
          p.transpose_b ? layout_of(p.operands, p.cols, p.depth, p.ldb)
                        : layout_of(p.operands, p.depth, p.cols, p.ldb),
          layout_of(p.result, p.rows, p.cols, p.ldd)};
}

cublasLtMatmulDesc_t describe(const Product& product) {
  cublasLtMatmulDesc_t operation = nullptr;
  check_blas(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F),
             "describing a product");
  set(operation, CUBLASLT_MATMUL_DESC_TRANSA, product.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(operation, CUBLASLT_MATMUL_DESC_TRANSB, product.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(product));
  if (product.bias) {
    set(operation, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, type_of(product.result));
  }
  return operation;
}

void set_bias(cublasLtMatmulDesc_t operation, const void* bias) {
  set(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
}

std::vector<Algorithm> candidates(cublasLtHandle_t handle, const Product& shape,
                                  cublasLtMatmulDesc_t operation, Workspace workspace, int most) {
  Layouts layouts = layouts_of(shape);
  const Preference preference(shape, workspace);
  std::vector<cublasLtMatmulHeuristicResult_t> results(static_cast<std::size_t>(most));
  int found = 0;
  const cublasStatus_t status =
      cublasLtMatmulAlgoGetHeuristic(handle, operation, &layouts.a, &layouts.b, &layouts.d,
                                     &layouts.d, preference.get(), most, results.data(), &found);
  std::vector<Algorithm> algorithms;
  for (int i = 0; status == CUBLAS_STATUS_SUCCESS && i < found; ++i) {
    algorithms.push_back({results[static_cast<std::size_t>(i)].algo, workspace});
  }
  return algorithms;
}

bool suits(cublasLtHandle_t handle, const Product& product, cublasLtMatmulDesc_t operation,
           const Algorithm& algorithm) {
  Layouts layouts = layouts_of(product);
  cublasLtMatmulHeuristicResult_t result{};
  const cublasStatus_t status =
      cublasLtMatmulAlgoCheck(handle, operation, &layouts.a, &layouts.b, &layouts.d, &layouts.d,
                              &algorithm.numbers, &result);
  return status == CUBLAS_STATUS_SUCCESS && result.workspaceSize <= kWorkspaceBytes;
}

}  // namespace yona::cuda
