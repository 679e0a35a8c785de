// QuantisedWeights: a model's matrices in bytes, for decoding on CPUs: a quarter of the memory, and
// products in integers (Int8Weights in backend/kernel_args.h).
//
//   QuantisedWeights quantised(parameters.weights());   // before the first forward pass
//
// Each matrix is rounded when it is first multiplied with or looked up in, or comes from a file as
// it is. Ops find this object through the weights' storage, as they do PackedWeights; vectors
// (biases, norms) stay where they are.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

#include "yona/backend/kernel_args.h"
#include "yona/tensor/region.h"
#include "yona/tensor/tensor.h"

namespace yona {

class QuantisedWeights {
 public:
  // Copies the values of a contiguous part of the buffer to `to`: called by one thread at a time.
  using Reader = std::function<void(const Tensor& part, float* to)>;

  // A matrix of the buffer: rows × cols from element `offset` on.
  struct Matrix {
    std::int64_t offset = 0, rows = 0, cols = 0;
    Int8Weights weights{};
  };

  // `weights` is a contiguous buffer, as Parameters has it, and must outlive this object. Without a
  // reader it holds the weights; with one it is never looked at.
  explicit QuantisedWeights(const Tensor& weights, Reader reader = {});
  ~QuantisedWeights();
  QuantisedWeights(const QuantisedWeights&) = delete;
  QuantisedWeights& operator=(const QuantisedWeights&) = delete;

  // A matrix that has been rounded already; its memory must outlive this object.
  void add(const Matrix& matrix);

  // A matrix [n, k] of the buffer, or the first rows of one. Several threads may ask; one that asks
  // while another rounds waits. Throws InvalidArgument when rows are longer than sums of integers
  // can take, and what the reader throws.
  Int8Weights get(const Tensor& matrix);

  // All that have been asked for or added, by offset.
  std::map<std::int64_t, Matrix> matrices() const;

 private:
  struct Owned {
    Tensor values, scales, sums;
  };
  Matrix rounded(std::int64_t offset, const Tensor& matrix);

  Tensor weights_;
  Reader reader_;
  mutable std::mutex mutex_;
  std::map<std::int64_t, Matrix> matrices_;
  Region region_;  // before the tensors in it, so that it goes after them
  std::map<std::int64_t, Owned> owned_;
};

}  // namespace yona
