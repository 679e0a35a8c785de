// A decoder alone: GPT-2 (Radford et al. 2019), Llama (Touvron et al. 2023) and those that differ
// from them in a few numbers (Mistral, Qwen): pre-norm layers of causal self-attention and a
// feed-forward network, and a norm in front of the projection.
//
//   Ragged states = model.decode(tokens, {}, c);        // all tokens of each text at once
//   Tensor logits = model.logits(states.values, c);     // [T, vocabulary]: of each next token
//
// With a cache in the context (tensor/layer_cache.h) the same call takes the new tokens of each
// row, with their positions in the layout (make_step_layout()).
#pragma once

#include <memory>
#include <vector>

#include "yona/models/causal_lm_config.h"
#include "yona/models/sequence_model.h"
#include "yona/nn/layers.h"

namespace yona {

class CausalLmLayer : public Module {
 public:
  explicit CausalLmLayer(const BlockOptions& options);
  Residual operator()(Residual x, const Sight& sight, Context& c) const;
  std::vector<ReversibleBlock> blocks(const Sight& sight) const;

 private:
  SelfAttentionBlock self_attention_;
  FeedForwardBlock feed_forward_;
};

class CausalLm : public SequenceModel {
 public:
  // Throws InvalidArgument as check_config() does.
  explicit CausalLm(const CausalLmConfig& config);

  const CausalLmConfig& config() const { return config_; }
  const SequenceShape& shape() const override { return shape_; }

  // There is no source: no memory comes out.
  Ragged encode(const Tokens& source, Context& c) const override;
  // Tokens [T] → states [T, d_model]; the memory is not read.
  Ragged decode(const Tokens& tokens, const Ragged& memory, Context& c) const override;
  OutputLayer output_layer() const override;

 private:
  void set_initial_values();

  CausalLmConfig config_;
  SequenceShape shape_;
  TokenTable table_;
  Positions positions_;
  std::unique_ptr<RotaryPositions> rotary_;
  InputEmbedding embedding_;
  Layers<CausalLmLayer> layers_;
  std::unique_ptr<TokenTable> projection_;  // unless tied
};

}  // namespace yona
