// Gradients of weights, put off until there are enough of them for one launch.
//
// dW = dyᵀ x is a long sum over tokens into a small matrix. Alone, such a product fills a GPU only
// if its sum is split and the parts are added up in a pass of their own; the products of a layer
// together fill it with whole sums (backend/cuda/gemm/weight_gradients.cuh). So backward rules hand
// them over here, in training on a backend that has such a kernel
// (Backend::weight_gradient_tiles()), and they are computed as soon as their tiles come close to a
// multiple of what the device computes at a time. What is left is computed by finish(), before
// anyone reads the gradients.
//
// dy and x are kept until then. Both are complete when they are handed over: all who add to dy were
// recorded later, and have run; x is written once.
#pragma once

#include <cstdint>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/tensor/tensor.h"

namespace yona {

class WeightGradients {
 public:
  // At most as many in one launch, and kept meanwhile.
  static constexpr std::size_t kMost = 32;

  // With `tiles` other than the backend's own for tests.
  explicit WeightGradients(Backend& backend)
      : WeightGradients(backend, backend.weight_gradient_tiles()) {}
  WeightGradients(Backend& backend, std::int64_t tiles);

  // dw += dyᵀ x, now or later. False, with nothing done, where that is not for here: the types are
  // others than bf16 and f32, or there is nothing to add up.
  bool add(const Tensor& dy, const Tensor& x, const Tensor& dw);
  // Computes what is left.
  void finish();
  // Forgets it.
  void clear() noexcept {
    waiting_.clear();
    products_.clear();
    tiles_ = 0;
  }

  std::size_t waiting() const { return waiting_.size(); }
  // Where the last of the gradients that wait ends, counted in elements from the first one of this
  // flat buffer, which they belong to; 0 where none waits.
  std::int64_t wait_up_to(const Tensor& gradients) const;

 private:
  struct Waiting {
    Tensor dy, x, dw;
  };
  void free_gradients() const;

  Backend& backend_;
  std::int64_t at_a_time_;
  std::int64_t tiles_ = 0;  // of those that wait
  std::vector<Waiting> waiting_;
  std::vector<WeightGradient> products_;  // kept from launch to launch: no malloc
};

}  // namespace yona
