// HalfWeights: a model's matrices in 2 bytes for each element, bf16 or f16, packed for products
// with few rows. Products widen them as they read: the arithmetic is f32, and the bits are those of
// PackedWeights that hold the same values. One row is read in half the time.
//
//   HalfWeights half(parameters.weights(), DType::bf16, copier);   // before the first forward pass
//
// Each matrix is packed when it is first multiplied with or looked up in; the buffer is never
// touched, and so takes no memory but for its vectors (biases, norms).
#pragma once

#include <functional>
#include <map>
#include <mutex>

#include "yona/tensor/packed_weights.h"

namespace yona {

class HalfWeights : public PackedWeights {
 public:
  // Copies the values of a contiguous part of the buffer to `to`: called by one thread at a time.
  using Copier = std::function<void(const Tensor& part, float* to)>;

  // `weights` as for PackedWeights; `type` is bf16 or f16, to which values are rounded.
  HalfWeights(const Tensor& weights, DType type, Copier copier);

  // A weight [n, k], or the first rows of one that has been packed.
  View packed(const Tensor& weight) override;
  View packed_table(const Tensor& table) override { return packed(table); }
  bool has_screens() const override { return false; }

 private:
  Tensor made(const Tensor& weight);

  DType type_;
  Copier copier_;
  std::mutex mutex_;
  struct Half {
    Tensor panels;
    std::int64_t rows = 0, cols = 0;
  };
  std::map<const float*, Half> halves_;  // by where they begin
};

}  // namespace yona
