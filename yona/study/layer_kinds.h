// The layers that Table 1 of the paper compares, as they are measured: each maps [n, d] to [n, d],
// without a residual connection and a norm, which all of them would have.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "yona/nn/module.h"
#include "yona/tensor/context.h"
#include "yona/tensor/ragged.h"

namespace yona {

inline constexpr std::int64_t kRestrictedKeys = 128;  // r: what restricted attention sees
inline constexpr std::int64_t kKernelWidth = 3;       // k: what a convolution sees

// training: whole sentences, and both directions where the layer has them. decoding: causal, the
// newest token of each row, what came before it in the context's cache.
enum class LayerUse : std::uint8_t { training, decoding };

class ComparedLayer : public Module {
 public:
  // x [n, d] → [n, d]; in decoding [rows, d] → [rows, d].
  virtual Ragged operator()(const Ragged& x, Context& c) const = 0;
};

struct LayerPlace {
  std::int64_t width = 64;  // d
  LayerUse use = LayerUse::training;
  std::int64_t depth = 0;  // in a stack, from 0: dilations grow with it
};

struct LayerKind {
  std::string_view name;
  // What the paper says of it: of time, of sequential operations, and of the longest path.
  std::string_view complexity, sequential, path;
  std::unique_ptr<ComparedLayer> (*make)(const LayerPlace& place);
};

std::span<const LayerKind> layer_kinds();
inline constexpr std::string_view kSelfAttention = "self-attention";
inline constexpr std::string_view kRestrictedAttention = "restricted self-attention";
inline constexpr std::string_view kRecurrence = "recurrence (LSTM)";

}  // namespace yona
