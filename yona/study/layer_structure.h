// How information flows in a layer of Table 1, found by running it: how many operations have to
// follow one another, and how many layers it takes until the first token can change what the layers
// say of the last one.
#pragma once

#include "yona/study/layer_kinds.h"

namespace yona {

struct LayerStructure {
  std::int64_t length = 0;
  // Kernels that run one after another in a layer's forward pass, for half the tokens and for all.
  std::int64_t half_calls = 0, calls = 0;
  std::int64_t layers = 0;  // until the first token reaches the last one

  // n where calls grow with the tokens, else 1.
  std::int64_t sequential() const { return calls > half_calls ? length : 1; }
  // Steps on the way from the first token to the last: layers, or steps within one.
  std::int64_t path() const { return sequential() > 1 ? layers * (length - 1) : layers; }
};

// Of a stack whose dilations, where the kind has any, grow from layer to layer as long as they fit
// the sentence, and then begin again. Runs on the CPU, whatever the study's device is.
LayerStructure layer_structure(const LayerKind& kind, std::int64_t length);

// From the last of `length` tokens back to the first one that its output depends on.
std::int64_t layer_reach(const LayerKind& kind, std::int64_t depth, std::int64_t length);

}  // namespace yona
