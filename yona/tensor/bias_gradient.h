// The gradient of a linear's bias is the sum over the rows of its output's gradient. The op that
// writes that gradient has every row in registers, and its kernel may add them up on the way
// (Kernel::gradient_sums): a pass over memory less. It may if nothing else uses the output, so
// that what it writes is all there will be.
//
// How the two find each other: what linear records holds a BiasGradient, to which the output's
// storage points for as long as it is on the tape. Ops count their use of the output in records();
// gradient_target() asks for the sums where an op's kernel can make them.
#pragma once

#include <cstdint>

#include "yona/backend/view.h"
#include "yona/tensor/tensor.h"

namespace yona {

class BiasGradient {
 public:
  // Of y = x Wᵀ + bias, whose columns the bias' elements belong to. An empty bias asks for nothing.
  BiasGradient(const Tensor& bias, const Tensor& y);
  BiasGradient(BiasGradient&& other) noexcept;
  BiasGradient& operator=(BiasGradient&&) = delete;
  ~BiasGradient();

  // Another input of an op is (a part of) y.
  void count_use() { ++uses_; }
  // Is it all used by one op, as `inputs` of its inputs?
  bool used_only_by(int inputs) const { return uses_ == inputs; }

  // Where to add the sums of part's gradient, which are then taken as done: call it for all parts
  // of y, or none. Empty when the bias takes no gradient, or part is not a range of y's columns.
  View take(const Tensor& part, Region& region);
  // Nothing is left to add up.
  bool done() const { return done_; }

 private:
  Tensor bias_, y_;  // empty when nothing is asked for
  int uses_ = 0;
  bool done_ = false;
};

// What records() tells of an input, which may be empty.
inline void count_use(const Tensor& input) {
  if (input && input.storage()->bias_gradient != nullptr) {
    input.storage()->bias_gradient->count_use();
  }
}

}  // namespace yona
