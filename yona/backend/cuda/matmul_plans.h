// Which of cuBLASLt's algorithms multiplies which shape. A plan is made once for each bucket of
// shapes and depends on nothing but the bucket, so that a run repeated or resumed uses the same
// algorithms, and gets the same bits, whatever batches came first.
#pragma once

#include <compare>
#include <cstdint>
#include <cublasLt.h>
#include <map>

#include "yona/backend/cuda/exec.h"
#include "yona/base/dtype.h"

namespace yona::cuda {

// Which extent is a number of tokens, and so differs from batch to batch.
enum class Tokens : std::uint8_t { none, cols, depth };

// A product in cuBLASLt's terms, which are column-major: d [rows, cols] = op(a) · op(b), where a
// row-major c = x · y is d = cᵀ = yᵀ · xᵀ.
struct Product {
  std::int64_t rows = 0, cols = 0, depth = 0;
  std::int64_t lda = 0, ldb = 0, ldd = 0;
  bool transpose_a = false, transpose_b = false;
  bool accumulate = false;
  bool bias = false, relu = false;
  Tokens tokens = Tokens::none;  // never an extent along which elements are adjacent
  DType operands = DType::f32;
  DType result = DType::f32;
  int alignment_a = 16, alignment_b = 16, alignment_d = 16;  // of the addresses, in bytes

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes a defaulted <=> for a literal zero
  auto operator<=>(const Product&) const = default;
};

struct ProductAddresses {
  const void* a = nullptr;
  const void* b = nullptr;
  void* d = nullptr;
  const void* bias = nullptr;  // of the result's type
};

class MatmulPlans {
 public:
  MatmulPlans();
  ~MatmulPlans();
  MatmulPlans(const MatmulPlans&) = delete;
  MatmulPlans& operator=(const MatmulPlans&) = delete;

  // Returns false, with nothing done, for the odd shapes that cuBLASLt has no algorithm for.
  bool multiply(const Product& product, const ProductAddresses& at, cudaStream_t stream);

 private:
  struct Plan {
    cublasLtMatmulDesc_t operation = nullptr;
    cublasLtMatmulAlgo_t algorithm{};
    bool found = false;
  };
  const Plan& plan_for(const Product& shape);
  // The heuristics' first choice: the best of eight, measured, gains 0.4 of a base step's 14 ms of
  // products on an H200, and would make bits depend on a measurement.
  void choose(const Product& shape, Plan& plan) const;
  bool launch(const Plan& plan, const Product& product, const ProductAddresses& at,
              cudaStream_t stream) const;

  cublasLtHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
  std::map<Product, Plan> plans_;
};

}  // namespace yona::cuda
