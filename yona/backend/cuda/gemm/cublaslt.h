// Products as cuBLASLt wants them described.
#pragma once

#include <compare>
#include <cstdint>
#include <cublasLt.h>
#include <vector>

#include "yona/backend/cuda/runtime/exec.h"
#include "yona/base/dtype.h"

namespace yona::cuda {

constexpr std::size_t kWorkspaceBytes = std::size_t{64} << 20U;

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

void check_blas(cublasStatus_t status, const char* operation);

struct Layouts {
  cublasLtMatrixLayoutOpaque_t a{}, b{}, d{};
};
Layouts layouts_of(const Product& product);

// The caller destroys it.
cublasLtMatmulDesc_t describe(const Product& product);
// Sets what is not the same in all products of a description.
void set_bias(cublasLtMatmulDesc_t operation, const void* bias);

// With a workspace, sums may be split, and blocks count the tiles that are taken. Without one,
// tiles are scheduled statically, and no counter is cleared before the product: one launch less.
// That is not among an algorithm's numbers: it goes by what the launch is given.
enum class Workspace : std::uint8_t { none, whole };

struct Algorithm {
  cublasLtMatmulAlgo_t numbers{};
  Workspace workspace = Workspace::whole;
};

// Algorithms for a product, the best first by cuBLASLt's own estimate: `most`, or as many as there
// are.
std::vector<Algorithm> candidates(cublasLtHandle_t handle, const Product& product,
                                  cublasLtMatmulDesc_t operation, Workspace workspace, int most);
bool suits(cublasLtHandle_t handle, const Product& product, cublasLtMatmulDesc_t operation,
           const Algorithm& algorithm);

}  // namespace yona::cuda
