// PackedWeights: a model's weights put into the order in which products with few rows read them,
// for decoding. At 4 rows that doubles the speed; no memory is added, because weights are packed in
// place, each when it is first multiplied with.
//
//   PackedWeights packed(parameters.weights());   // before the first forward pass
//
// Ops find it through the weights' storage, so models and contexts know nothing of it. Weights that
// are packed can no longer be trained, saved or multiplied with in another shape: that throws.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

#include "yona/backend/kernel_args.h"
#include "yona/tensor/region.h"
#include "yona/tensor/tensor.h"

namespace yona {

class PackedWeights {
 public:
  // Puts the values of a part of the buffer in place before it is first used: called for each part
  // that is asked for, by one thread at a time.
  using Reader = std::function<void(const Tensor& part)>;

  // `weights` is a contiguous buffer, as Parameters has it; it must outlive this object, and is of
  // no use afterwards. Without a reader it holds the weights already.
  explicit PackedWeights(const Tensor& weights, Reader reader = {});
  virtual ~PackedWeights();
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;

  // A weight [n, k] of the buffer, packed. Throws InvalidArgument when part of it was packed in
  // another shape. Several threads may ask; one that asks while another packs waits.
  virtual View packed(const Tensor& weight);

  // Is there a screen for these? Not for weights of 2 bytes (half_weights.h).
  virtual bool has_screens() const { return true; }
  // A screen of a packed weight, made when it is first asked for: a quarter of the weight's memory
  // more.
  Screen screen(const Tensor& weight);

  // The rows of a table [n, k] when it has been packed (be it without its last rows), else an empty
  // View: its rows are where they were.
  virtual View packed_table(const Tensor& table);

 protected:
  Region& region() { return region_; }  // for what is kept besides the buffer

 private:
  struct Shape2 {
    std::int64_t rows = 0, cols = 0;
  };
  struct ScreenTensors {
    Tensor values, scales, errors;
  };
  void check_apart(const Tensor& weight) const;

  Tensor weights_;
  Reader reader_;
  mutable std::mutex mutex_;
  std::map<const float*, Shape2> packed_;  // by where they begin
  Region region_;
  std::map<const float*, ScreenTensors> screens_;
};

}  // namespace yona
