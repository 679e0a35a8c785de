// N layers in a row, and in pre-norm the norm after the last one: a stack without its embeddings.
// A layer is a Module built from BlockOptions (nn/block.h) and called with the residual stream and
// what it attends to. The layers are registered as layers.0, layers.1 … and the norm as norm, under
// the names of the module that has the stack; register it without a name, add(layers).
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "yona/base/preemption.h"
#include "yona/nn/block.h"

namespace yona {

template <class Layer>
class Layers : public Module {
 public:
  Layers(std::int64_t count, const BlockOptions& options) {
    for (std::int64_t n = 0; n < count; ++n) {
      add("layers." + std::to_string(n), layers_.emplace_back(options));
    }
    if (options.norm.position == NormPosition::pre) {
      norm_ = std::make_unique<LayerNorm>(options.d_model, options.norm.kind, options.norm.epsilon);
      add("norm", *norm_);
    }
  }

  // x [T, d_model] → [T, d_model], each layer called with (x, sight, c)
  Ragged operator()(Residual x, const Sight& sight, Context& c) const {
    for (const Layer& layer : layers_) {
      preemption_point();
      x = layer(std::move(x), sight, c);
    }
    return normed(x, c);
  }
  // or with (x, memory, sight, c).
  Ragged operator()(Residual x, const Ragged& memory, const Sight& sight, Context& c) const {
    for (const Layer& layer : layers_) {
      preemption_point();
      x = layer(std::move(x), memory, sight, c);
    }
    return normed(x, c);
  }

 private:
  Ragged normed(const Residual& x, Context& c) const { return norm_ ? (*norm_)(x, c) : x.sum(c); }

  std::deque<Layer> layers_;  // modules do not move
  std::unique_ptr<LayerNorm> norm_;
};

}  // namespace yona
