// The Transformer of "Attention Is All You Need" (Vaswani et al. 2017), section 3 and figure 1:
// an encoder and a decoder stack over ragged batches. Each class is a paragraph of the paper.
#pragma once

#include <memory>
#include <vector>

#include "yona/models/sequence_model.h"
#include "yona/models/transformer_config.h"
#include "yona/nn/embedding.h"
#include "yona/nn/layers.h"

namespace yona {

class EncoderLayer : public Module {
 public:
  explicit EncoderLayer(const BlockOptions& options);
  Residual operator()(Residual x, const Sight& sight, Context& c) const;
  std::vector<ReversibleBlock> blocks(const Sight& sight) const;

 private:
  SelfAttentionBlock self_attention_;
  FeedForwardBlock feed_forward_;
};

class DecoderLayer : public Module {
 public:
  explicit DecoderLayer(const BlockOptions& options);
  Residual operator()(Residual x, const Ragged& memory, const Sight& sight, Context& c) const;
  std::vector<ReversibleBlock> blocks(const Ragged& memory, const Sight& sight) const;

 private:
  SelfAttentionBlock self_attention_;
  CrossAttentionBlock cross_attention_;
  FeedForwardBlock feed_forward_;
};

// What the two stacks have in common: embeddings, and N layers above them. `shared`: the table of
// both stacks; null where each has its own.
template <class Layer>
class LayerStack : public Module {
 public:
  const TokenTable& table() const { return own_table_ ? *own_table_ : *shared_; }

 protected:
  struct Size {
    std::int64_t vocabulary, layers;
  };
  LayerStack(const TransformerConfig& config, const TokenTable* shared, Size size, Mask mask);

  // What the layers see: the mask, and relative positions where the model has them.
  Sight sight(Context& c) const;

  const TokenTable* shared_;
  std::unique_ptr<TokenTable> own_table_;
  Positions positions_;
  Mask mask_;
  std::unique_ptr<RelativePositions> relative_positions_;
  std::unique_ptr<RotaryPositions> rotary_positions_;
  std::unique_ptr<LayerNorm> embedding_norm_;
  InputEmbedding embedding_;
  Layers<Layer> layers_;
};

class Encoder : public LayerStack<EncoderLayer> {
 public:
  Encoder(const TransformerConfig& config, const TokenTable* shared);
  Ragged operator()(const Tokens& source, Context& c) const;
};

class Decoder : public LayerStack<DecoderLayer> {
 public:
  Decoder(const TransformerConfig& config, const TokenTable* shared);
  Ragged operator()(const Tokens& target, const Ragged& memory, Context& c) const;
};

class Transformer : public SequenceModel {
 public:
  explicit Transformer(const TransformerConfig& config);

  const TransformerConfig& config() const { return config_; }
  const SequenceShape& shape() const override { return shape_; }

  Ragged encode(const Tokens& source, Context& c) const override { return encoder_(source, c); }
  Ragged decode(const Tokens& target, const Ragged& memory, Context& c) const override {
    return decoder_(target, memory, c);
  }
  Tensor projected_states(const Tensor& states, Context& c) const override;
  OutputLayer output_layer() const override;

 private:
  TransformerConfig config_;
  SequenceShape shape_;
  std::unique_ptr<TokenTable> shared_;  // Tying::all and inputs
  Encoder encoder_;
  Decoder decoder_;
  std::unique_ptr<TokenTable> projection_;  // Tying::none and inputs
  Parameter projection_bias_;               // where there is one
};

}  // namespace yona
