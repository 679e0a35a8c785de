// N layers in a row, and in pre-norm the norm after the last one: a stack without its embeddings.
// A layer is a Module built from BlockOptions (nn/block.h) and called with the residual stream and
// what it attends to. The layers are registered as layers.0, layers.1 … and the norm as norm, under
// the names of the module that has the stack; register it without a name, add(layers).
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "yona/base/preemption.h"
#include "yona/nn/block.h"
#include "yona/nn/recompute.h"

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

  void set_recompute(bool on) override { recomputes_ = on; }

  // x [T, d_model] → [T, d_model], each layer called with (x, sight, c)
  Ragged operator()(Residual x, const Sight& sight, Context& c) const {
    return run(std::move(x), c, [sight](const Layer& layer, Residual in, Context& context) {
      return layer(std::move(in), sight, context);
    });
  }
  // or with (x, memory, sight, c).
  Ragged operator()(Residual x, const Ragged& memory, const Sight& sight, Context& c) const {
    return run(std::move(x), c, [memory, sight](const Layer& layer, Residual in, Context& context) {
      return layer(std::move(in), memory, sight, context);
    });
  }

 private:
  template <class Call>
  Ragged run(Residual x, Context& c, const Call& call) const {
    for (const Layer& layer : layers_) {
      preemption_point();
      if (recomputes_ && c.tape != nullptr) {
        const auto forward = [call, &layer](const Ragged& in, Context& context) {
          return call(layer, in, context);
        };
        x = recomputed(x.sum(c), forward, c, tape_);
      } else {
        x = call(layer, std::move(x), c);
      }
    }
    return normed(x, c);
  }
  Ragged normed(const Residual& x, Context& c) const { return norm_ ? (*norm_)(x, c) : x.sum(c); }

  std::deque<Layer> layers_;  // modules do not move
  std::unique_ptr<LayerNorm> norm_;
  bool recomputes_ = false;
  mutable Tape tape_;  // of the layer whose backward pass is under way
};

}  // namespace yona
