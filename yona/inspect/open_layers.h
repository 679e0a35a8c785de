// The layers of a model, taken from it one by one: the same classes over the same weights, so that
// someone can stand between them, and an attention and a feed-forward network that show what they
// compute on the way.
#pragma once

#include <string>

#include "yona/models/transformer.h"
#include "yona/nn/parameters.h"

namespace yona {

// Lets the module work with the model's weights whose names begin with `prefix` ("encoder." …).
// Constants are computed into the region.
void bind_weights(Module& module, const Parameters& parameters, const std::string& prefix,
                  Region& region);

// What enters the first layer of a stack, and its summands.
struct OpenInput {
  Ragged embeddings;  // times √d_model where the model does so; [T, d_model]
  Ragged sum;         // with positions (and the norm of some families); [T, d_model]
};

enum class Stack : std::uint8_t { encoder, decoder };

OpenInput open_input(Stack stack, const TransformerConfig& config, const Parameters& parameters,
                     const Tokens& tokens, Context& c);

// MultiHead(x, memory, memory) of the attention at `path`, step by step. With h' heads of keys and
// values where the block has grouped-query attention.
struct OpenAttention {
  Tensor Q, K, V;                   // [T, h·d_k], [T_m, h'·d_k], [T_m, h'·d_v]
  Tensor Q_unrotated, K_unrotated;  // before the rotary positions; empty without them
  Tensor weights;                   // [h, T, T_m] in a row
  Ragged heads;                     // Concat(head_1 … head_h): [T, h·d_v]
  Ragged output;                    // … W^O: [T, d_model]
};

OpenAttention open_attention(const std::string& path, const BlockOptions& block,
                             const Parameters& parameters, const Ragged& x, const Ragged& memory,
                             const Sight& sight, Context& c);

// FFN(x) of the network at `path`, step by step.
struct OpenFeedForward {
  Tensor inner;      // x W₁ + b₁: [T, d_ff]
  Tensor gate;       // x W_g (+ b_g): [T, d_ff]; empty without a gate
  Tensor activated;  // after the activation, and the gate where there is one: [T, d_ff]
  Ragged output;     // [T, d_model]
};

OpenFeedForward open_feed_forward(const std::string& path, const FeedForwardShape& shape,
                                  const Parameters& parameters, const Ragged& x, Context& c);

}  // namespace yona
