// The blocks that layers are made of: a sub-layer with its residual connection and norm (§3.1,
// "We employ a residual connection around each of the two sub-layers, followed by layer
// normalization"; or with the norm first, nn/norm.h). A layer of a model calls its blocks in order:
//   encoder, BERT, ViT   self-attention, feed-forward
//   GPT                  the same with a causal mask
//   decoder              self-attention (causal), cross-attention, feed-forward
// A block registers its sub-layer and norm under the names of the layer that has it:
// self_attention, self_attention_norm and so on; register it without a name, add(block).
#pragma once

#include "yona/nn/attention/multi_head.h"
#include "yona/nn/feed_forward.h"
#include "yona/nn/norm.h"

namespace yona {

// Defaults are the paper's base model without dropout.
struct BlockOptions {
  std::int64_t d_model = 512;
  HeadShape heads{};
  AttentionSpec attention{};
  AttentionBiases attention_biases{};
  FeedForwardShape feed_forward{};
  double activation_dropout = 0.0;  // inside the feed-forward layer; none in the paper
  ResidualNormOptions norm{};
  bool reversible = false;  // the stack's streams take the residual connections' place; pre-norm
};

// LN(x + MultiHead(x, x, x))
class SelfAttentionBlock : public Module {
 public:
  explicit SelfAttentionBlock(const BlockOptions& options);
  Residual operator()(Residual x, const Sight& sight, Context& c) const;

 private:
  MultiHeadAttention attention_;
  ResidualNormLayer norm_;
};

// LN(x + MultiHead(x, memory, memory))
class CrossAttentionBlock : public Module {
 public:
  explicit CrossAttentionBlock(const BlockOptions& options);
  Residual operator()(Residual x, const Ragged& memory, Context& c) const;

 private:
  MultiHeadAttention attention_;
  ResidualNormLayer norm_;
};

// LN(x + FFN(x))
class FeedForwardBlock : public Module {
 public:
  explicit FeedForwardBlock(const BlockOptions& options);
  Residual operator()(Residual x, Context& c) const;

 private:
  FeedForward feed_forward_;
  ResidualNormLayer norm_;
};

}  // namespace yona
