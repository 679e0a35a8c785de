// A layer of Table 1 with weights, and a sentence of random numbers to run it on.
#pragma once

#include <memory>

#include "yona/nn/parameters.h"
#include "yona/study/layer_kinds.h"
#include "yona/tensor/context.h"

namespace yona {

class BoundLayer {
 public:
  // training: with gradients, and a tape that records.
  BoundLayer(const LayerKind& kind, const LayerPlace& place, Backend& backend, std::uint64_t seed);

  // One sentence of random numbers: [length, d], which takes gradients.
  Ragged sentence(std::int64_t length);

  const ComparedLayer& layer() const { return *layer_; }
  Parameters& parameters() { return parameters_; }
  Region& region() { return region_; }
  Tape& tape() { return tape_; }
  Context& context() { return c_; }

 private:
  std::uint64_t seed_;
  std::int64_t width_;
  std::unique_ptr<ComparedLayer> layer_;
  Parameters parameters_;
  Region region_;
  Tape tape_;
  Context c_;
};

}  // namespace yona
