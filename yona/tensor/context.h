// Context: what a forward pass runs in: the backend, the step's memory, the tape (in training),
// the random counters of dropout, the precision of products, the cache of incremental decoding. One
// per thread of computation.
#pragma once

#include <cstdint>

#include "yona/backend/backend.h"
#include "yona/tensor/attention_recorder.h"
#include "yona/tensor/bias_gradient.h"
#include "yona/tensor/first_uses.h"
#include "yona/tensor/region.h"
#include "yona/tensor/tape.h"
#include "yona/tensor/tensor.h"
#include "yona/tensor/weight_gradients.h"

namespace yona {

// The coordinates that a dropout mask depends on besides module and position (docs/overview.md).
struct RandomCounters {
  std::uint64_t seed = 1;
  std::uint64_t update = 0;
  std::uint32_t micro_batch = 0;
  std::uint32_t rank = 0;
  std::uint32_t pass = 0;  // R-Drop runs two

  std::uint64_t key() const { return mix(mix(mix(mix(seed, update), micro_batch), rank), pass); }
};

class LayerCache;

struct Context {
  Region& region;
  Tape* tape = nullptr;   // nullptr: nothing is recorded
  bool training = false;  // dropout on
  bool repeats = false;   // a pass that has run before, for what it did not keep (nn/recompute.h)
  RandomCounters random{};
  Precision precision = Precision::f32;
  WeightGradients* weight_gradients = nullptr;  // nullptr: none is put off
  LayerCache* cache = nullptr;             // incremental decoding: what earlier steps have left
  AttentionRecorder* attention = nullptr;  // nullptr: no weights are recorded
  FirstUses* first_uses = nullptr;         // of parameters; nullptr: not asked for

  Backend& backend() const { return region.backend(); }
  const Kernels& kernels() const { return backend().kernels(); }
  Exec& exec() const { return backend().exec(); }

  Tensor empty(DType dtype, const Shape& shape) const { return {region, dtype, shape}; }
  Tensor zeros(DType dtype, const Shape& shape) const;

  // The type of activations made from weights of this type. A GPU keeps them in bf16 or f16 where
  // products are: half the memory, and half the time of everything that only moves it.
  DType activation_type(DType weights) const {
    return weights == DType::f32 && precision != Precision::f32 && backend().rounds_activations()
               ? operand_type()
               : weights;
  }
  // What operands of products are rounded to, unless products are f32.
  DType operand_type() const { return precision == Precision::f16 ? DType::f16 : DType::bf16; }

  // The dropout of a module in this pass; off when not training or p is 0.
  Dropout dropout(double p, std::uint32_t stream) const {
    return training && p > 0 ? Dropout::with(p, random.key(), stream) : Dropout{};
  }
};

// The type of sums that ops keep beside activations of this type: statistics, losses.
constexpr DType sum_type(DType activations) {
  return size_of(activations) == 2 ? DType::f32 : activations;
}

// --- for ops -------------------------------------------------------------------------------

// Should an op with these inputs record its backward? Asked once, before it does, with all inputs
// that its backward will give gradients to: they are then counted as used.
template <class... Tensors>
bool records(const Context& c, const Tensors&... inputs) {
  if (c.first_uses != nullptr) {  // without a tape too: what is recomputed is recorded later
    (c.first_uses->note(inputs), ...);
  }
  if (c.tape == nullptr || !(inputs.requires_gradient() || ...)) {
    return false;
  }
  (count_use(inputs), ...);
  return true;
}

// Where to put the gradient of x. When nothing has been put there yet and x covers its storage,
// the kernel may overwrite (accumulate is false); else it must add to what is there.
// A kernel with gradient_sums adds the sums of the gradient's columns to `sums` as well, where it
// is not empty (see bias_gradient.h).
struct GradientTarget {
  Tensor tensor;  // empty when x needs no gradient
  bool accumulate = false;
  View sums{};
  View view() const { return tensor ? tensor.view() : View{}; }
};
GradientTarget gradient_target(const Tensor& x, Region& region,
                               GradientSums sums = GradientSums::no);

// The same for kernels that only ever add (sums over rows): a new gradient begins at zero. Empty
// when x is empty or needs no gradient.
View gradient_sum(const Tensor& x, Region& region);

// The same for three tensors that may be slices of one product (Q, K, V): when together they cover
// their storage, none of it has to be zeroed first. Tensors that overlap are all added to.
struct GradientTargets3 {
  GradientTarget a, b, c;
};
GradientTargets3 gradient_targets(const Tensor& a, const Tensor& b, const Tensor& c, Region& region,
                                  GradientSums sums = GradientSums::no);

}  // namespace yona
