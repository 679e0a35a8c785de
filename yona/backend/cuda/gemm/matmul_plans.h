// Which of cuBLASLt's algorithms multiplies which shape: its own first choice, or the fastest of
// several, measured once for each bucket of shapes and kept (choices.h). A plan depends on nothing
// but the bucket and what is kept, so that a run repeated or resumed uses the same algorithms, and
// gets the same bits, whatever batches came first.
#pragma once

#include <cstdint>
#include <cublasLt.h>
#include <map>
#include <optional>

#include "yona/backend/choices.h"
#include "yona/backend/cuda/gemm/cublaslt.h"

namespace yona::cuda {

struct ProductAddresses {
  const void* a = nullptr;
  const void* b = nullptr;
  void* d = nullptr;
  const void* bias = nullptr;  // of the result's type
};

class MatmulPlans {
 public:
  // measure: algorithms are timed where that was not done before, which takes about as long as 40
  // products, and the choices are kept for the next run.
  explicit MatmulPlans(bool measure);
  ~MatmulPlans();
  MatmulPlans(const MatmulPlans&) = delete;
  MatmulPlans& operator=(const MatmulPlans&) = delete;

  // Returns false, with nothing done, for the odd shapes that cuBLASLt has no algorithm for.
  bool multiply(const Product& product, const ProductAddresses& at, cudaStream_t stream);

  Choices& choices() { return choices_; }

 private:
  struct Plan {
    cublasLtMatmulDesc_t operation = nullptr;
    Algorithm algorithm;
    bool found = false;
  };
  struct Problem;  // a product with its addresses and stream
  const Plan& plan_for(const Product& shape, const Problem& problem);
  // The heuristics' first choice.
  void choose(const Product& shape, Plan& plan) const;
  // The choice that was kept or is measured now, if there is one and it suits the shape.
  void improve(const Product& shape, const Problem& problem, Plan& plan);
  // None where memory does not suffice to try them.
  std::optional<Algorithm> fastest(const Product& shape, const Problem& problem,
                                   const Plan& plan) const;
  bool launch(const Plan& plan, const Product& product, const ProductAddresses& at,
              cudaStream_t stream) const;

  cublasLtHandle_t handle_ = nullptr;
  void* workspace_ = nullptr;
  std::map<Product, Plan> plans_;
  bool measure_;
  Choices choices_;
};

}  // namespace yona::cuda
