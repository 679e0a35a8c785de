// Tells which gradients of parameters are final while a backward pass continues, so that they can
// be exchanged meanwhile (train/gradient_sum.h).
//
// Every op names the inputs that its backward gives gradients to, before it is recorded: records()
// in tensor/context.h. The gradient of a parameter is final when the closures of all ops that use
// it have run: when the tape is as short as it was at the first use. Tied weights are the same
// memory, so that the first use of any of them counts; a layer that is recomputed names its
// parameters when it runs forward. What an op adds in the forward pass, as a loss does for its
// table, is there before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "yona/tensor/tape.h"
#include "yona/tensor/tensor.h"

namespace yona {

class FirstUses {
 public:
  // Of the flat buffer of parameters, [1, count], f32, in pieces of `piece` elements. The tape must
  // outlive this object.
  FirstUses(Tensor weights, const Tape& tape, std::int64_t piece);

  // A new pass: nothing has been used yet.
  void begin();
  // An input of an op. Throws Error where it is a parameter whose gradient was said to be final.
  void note(const Tensor& input);
  // Once the forward pass is done: gradients of the elements from here on will not change.
  std::int64_t final_from();

 private:
  Tensor weights_;
  const Tape& tape_;
  std::int64_t piece_;
  std::vector<std::size_t> first_;  // of each piece: how long the tape was when it was first used
  std::size_t end_ = 0;             // pieces from here on are final
};

}  // namespace yona
