// N layers in a row, and in pre-norm the norm after the last one: a stack without its embeddings.
// A layer is a Module built from BlockOptions (nn/block.h) and called with the residual stream and
// what it attends to; its blocks() are the same without residual connections (nn/reversible.h). The
// layers are registered as layers.0, layers.1 … and the norm as norm, under the names of the module
// that has the stack; register it without a name, add(layers).
#pragma once

#include <algorithm>
#include <deque>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "yona/base/error.h"
#include "yona/base/preemption.h"
#include "yona/nn/block.h"
#include "yona/nn/recompute.h"
#include "yona/nn/reversible.h"

namespace yona {

template <class Layer>
class Layers : public Module {
 public:
  Layers(std::int64_t count, const BlockOptions& options) : is_reversible_(options.reversible) {
    BlockOptions of_layer = options;
    of_layer.norm.residual = options.norm.residual && !is_reversible_;
    for (std::int64_t n = 0; n < count; ++n) {
      add("layers." + std::to_string(n), layers_.emplace_back(of_layer));
    }
    if (options.norm.position == NormPosition::pre) {
      norm_ = std::make_unique<LayerNorm>(options.d_model, options.norm.kind, options.norm.epsilon);
      add("norm", *norm_);
    }
  }

  void set_recompute(bool on) override { recomputes_ = on; }

  // x [T, d_model] → [T, d_model], each layer called with (x, sight, c)
  Ragged operator()(Residual x, const Sight& sight, Context& c) const {
    return normed(run(std::move(x), c, sight), c);
  }
  // or with (x, memory, sight, c).
  Ragged operator()(Residual x, const Ragged& memory, const Sight& sight, Context& c) const {
    return normed(run(std::move(x), c, memory, sight), c);
  }

 private:
  template <class... Seen>
  Residual run(Residual x, Context& c, const Seen&... seen) const {
    if (is_reversible_) {
      return reversible(x.sum(c), blocks(seen...), c, tape_);
    }
    for (const Layer& layer : layers_) {
      preemption_point();
      if (recomputes_ && c.tape != nullptr) {
        const auto forward = [&layer, seen...](const Ragged& in, Context& context) {
          return layer(in, seen..., context);
        };
        x = recomputed(x.sum(c), forward, c, tape_);
      } else {
        x = layer(std::move(x), seen..., c);
      }
    }
    return x;
  }
  template <class... Seen>
  std::vector<ReversibleBlock> blocks(const Seen&... seen) const {
    std::vector<ReversibleBlock> all;
    for (const Layer& layer : layers_) {
      if constexpr (requires { layer.blocks(seen...); }) {
        std::ranges::move(layer.blocks(seen...), std::back_inserter(all));
      } else {
        fail("model.reversible: these layers have no reversible form");
      }
    }
    return all;
  }
  Ragged normed(const Residual& x, Context& c) const { return norm_ ? (*norm_)(x, c) : x.sum(c); }

  std::deque<Layer> layers_;  // modules do not move
  std::unique_ptr<LayerNorm> norm_;
  bool is_reversible_;
  bool recomputes_ = false;
  mutable Tape tape_;  // of the layer whose backward pass is running
};

}  // namespace yona
