// What layers ask of a cache in incremental decoding: each in turn, in the same order at every
// step. AttentionCache keeps its tables on the host, ResidentCache on the device.
#pragma once

#include <functional>

#include "yona/tensor/ops/cached_attention.h"

namespace yona {

class LayerCache {
 public:
  LayerCache() = default;
  virtual ~LayerCache() = default;
  LayerCache(LayerCache&&) = default;
  LayerCache(const LayerCache&) = delete;
  LayerCache& operator=(LayerCache&&) = delete;
  LayerCache& operator=(const LayerCache&) = delete;

  // Keeps this step's keys and values [rows, width] of the next self-attention, and gives all that
  // its queries see.
  virtual CachedKeys append(const Tensor& keys_and_values, Context& c) = 0;
  // The keys and values of the memory for the next cross-attention; `make` is called in the first
  // step, and its result [tokens, width], laid out as `layout`, is kept.
  virtual CachedKeys memory(const Layout& layout, const std::function<Tensor()>& make,
                            Context& c) = 0;

  // What the next recurrent layer or convolution goes on from, [rows, width]: what keep() was given
  // for the row's parent in the step before. In the first step `make` gives it, a row for each
  // sentence. Throws NotImplemented where the cache has no such states.
  virtual Tensor state(const std::function<Tensor()>& make, Context& c);
  // What the next step will find there: the states of layers in the order in which they were asked
  // for, [rows, width] each.
  virtual void keep(const Tensor& state);
};

}  // namespace yona
