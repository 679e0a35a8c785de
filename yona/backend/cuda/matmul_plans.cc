#include "yona/backend/cuda/matmul_plans.h"

#include <algorithm>
#include <array>
#include <bit>

namespace yona::cuda {

namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{64} << 20U;

void check_blas(cublasStatus_t status, const char* operation) {
  check<DeviceError>(status == CUBLAS_STATUS_SUCCESS, "cuda: {} failed: {}", operation,
                     cublasLtGetStatusString(status));
}

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

struct Layouts {
  cublasLtMatrixLayoutOpaque_t a{}, b{}, d{};
};

Layouts layouts_of(const Product& p) {
  return {p.transpose_a ? layout_of(p.operands, p.depth, p.rows, p.lda)
                        : layout_of(p.operands, p.rows, p.depth, p.lda),
          p.transpose_b ? layout_of(p.operands, p.cols, p.depth, p.ldb)
                        : layout_of(p.operands, p.depth, p.cols, p.ldb),
          layout_of(p.result, p.rows, p.cols, p.ldd)};
}

// Numbers of tokens differ from batch to batch. They are rounded up to one of 64 steps between
// powers of two; what an algorithm is good for changes little within a step.
std::int64_t bucket_of(std::int64_t tokens) {
  constexpr std::int64_t kSmallest = 64;
  if (tokens <= kSmallest) {
    return kSmallest;
  }
  const auto floor = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(tokens)));
  const std::int64_t step = std::max(floor / 64, std::int64_t{16});
  return (tokens + step - 1) / step * step;
}

Product bucketed(Product product) {
  if (product.tokens == Tokens::cols) {
    product.cols = bucket_of(product.cols);
  } else if (product.tokens == Tokens::depth) {
    product.depth = bucket_of(product.depth);
  }
  return product;
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

class Preference {
 public:
  explicit Preference(const Product& product) {
    check_blas(cublasLtMatmulPreferenceCreate(&preference_), "describing a preference");
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kWorkspaceBytes);
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

MatmulPlans::MatmulPlans() {
  check_blas(cublasLtCreate(&handle_), "starting cuBLASLt");
  check_cuda(cudaMalloc(&workspace_, kWorkspaceBytes), "taking the workspace of products");
}

MatmulPlans::~MatmulPlans() {
  for (const auto& [product, plan] : plans_) {
    cublasLtMatmulDescDestroy(plan.operation);
  }
  cudaFree(workspace_);
  cublasLtDestroy(handle_);
}

void MatmulPlans::choose(const Product& shape, Plan& plan) const {
  Layouts layouts = layouts_of(shape);
  const Preference preference(shape);
  std::array<cublasLtMatmulHeuristicResult_t, 1> results{};
  int found = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle_, plan.operation, &layouts.a, &layouts.b, &layouts.d, &layouts.d, preference.get(),
      static_cast<int>(results.size()), results.data(), &found);
  plan.found = status == CUBLAS_STATUS_SUCCESS && found > 0;
  plan.algorithm = results.front().algo;
}

const MatmulPlans::Plan& MatmulPlans::plan_for(const Product& shape) {
  auto known = plans_.find(shape);
  if (known == plans_.end()) {
    Plan plan;
    plan.operation = describe(shape);
    choose(shape, plan);
    known = plans_.emplace(shape, plan).first;
  }
  return known->second;
}

bool MatmulPlans::launch(const Plan& plan, const Product& product, const ProductAddresses& at,
                         cudaStream_t stream) const {
  if (!plan.found) {
    return false;
  }
  if (product.bias) {
    set(plan.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, at.bias);
  }
  Layouts layouts = layouts_of(product);
  const float alpha = 1.0F;
  const float beta = product.accumulate ? 1.0F : 0.0F;
  const cublasStatus_t status = cublasLtMatmul(
      handle_, plan.operation, &alpha, at.a, &layouts.a, at.b, &layouts.b, &beta, at.d, &layouts.d,
      at.d, &layouts.d, &plan.algorithm, workspace_, kWorkspaceBytes, stream);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) {
    return false;
  }
  check_blas(status, "matmul");
  return true;
}

bool MatmulPlans::multiply(const Product& product, const ProductAddresses& at,
                           cudaStream_t stream) {
  if (launch(plan_for(bucketed(product)), product, at, stream)) {
    return true;
  }
  Product exact = product;  // what suits its bucket may not suit a shape itself
  exact.tokens = Tokens::none;
  return launch(plan_for(exact), product, at, stream);
}

}  // namespace yona::cuda
