// The Transformer of "Attention Is All You Need" (Vaswani et al. 2017), section 3 and figure 1:
// an encoder and a decoder stack over ragged batches. Each class is a paragraph of the paper.
#pragma once

#include <deque>
#include <memory>

#include "yona/models/transformer_config.h"
#include "yona/nn/attention/multi_head.h"
#include "yona/nn/embedding.h"

namespace yona {

class EncoderLayer : public Module {
 public:
  explicit EncoderLayer(const TransformerConfig& config);
  Residual operator()(Residual x, const Sight& sight, Context& c) const;

 private:
  MultiHeadAttention self_attention_;
  ResidualNormLayer self_attention_norm_;
  FeedForward feed_forward_;
  ResidualNormLayer feed_forward_norm_;
};

class DecoderLayer : public Module {
 public:
  explicit DecoderLayer(const TransformerConfig& config);
  Residual operator()(Residual x, const Ragged& memory, const Sight& sight, Context& c) const;

 private:
  MultiHeadAttention self_attention_;
  ResidualNormLayer self_attention_norm_;
  MultiHeadAttention cross_attention_;
  ResidualNormLayer cross_attention_norm_;
  FeedForward feed_forward_;
  ResidualNormLayer feed_forward_norm_;
};

// What the two stacks have in common: embeddings in front, N layers, and in pre-norm a norm at the
// end. `shared`: the table of both stacks; null where each has its own.
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
  Ragged normed(const Residual& x, Context& c) const { return norm_ ? (*norm_)(x, c) : x.sum(c); }

  const TokenTable* shared_;
  std::unique_ptr<TokenTable> own_table_;
  Positions positions_;
  Mask mask_;
  std::unique_ptr<RelativePositions> relative_positions_;
  std::unique_ptr<LayerNorm> embedding_norm_;
  InputEmbedding embedding_;
  std::deque<Layer> layers_;
  std::unique_ptr<LayerNorm> norm_;  // pre-norm only
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

// What makes logits of states: weight [ids, d_model] and, where there is one, bias [ids].
struct OutputLayer {
  Tensor weight{}, bias{};
};

class Transformer : public Module {
 public:
  explicit Transformer(const TransformerConfig& config);

  const TransformerConfig& config() const { return config_; }

  // Source tokens → memory [T_source, d_model].
  Ragged encode(const Tokens& source, Context& c) const { return encoder_(source, c); }
  // Target tokens so far (beginning with start_id()) and the memory → states [T_target, d_model],
  // each of which predicts the next token through logits().
  Ragged decode(const Tokens& target, const Ragged& memory, Context& c) const {
    return decoder_(target, memory, c);
  }
  // states · projectionᵀ (+ bias): [T_target, outputs()].
  Tensor logits(const Tensor& states, Context& c) const {
    return logits(states, output_layer(), c);
  }
  // The same for the ids whose rows a layer has: some of output_layer()'s.
  Tensor logits(const Tensor& states, const OutputLayer& layer, Context& c) const;
  // What logits() multiplies with the projection: the states, scaled in models that do so.
  Tensor projected_states(const Tensor& states, Context& c) const;
  OutputLayer output_layer() const { return {projection(), projection_bias_.value}; }
  // [outputs(), d_model].
  Tensor projection() const;
  // [outputs()]; empty where the logits have none.
  const Tensor& projection_bias() const { return projection_bias_.value; }
  // Ids that can come out: all but a barred <pad>, which is the last.
  std::int64_t outputs() const {
    return config_.target_vocabulary - (config_.departures.padding == Padding::barred ? 1 : 0);
  }

  // The first input of the decoder.
  std::int32_t start_id() const {
    const std::int64_t id = config_.departures.start_id;
    return static_cast<std::int32_t>(id >= 0 ? id : config_.target_vocabulary - 1);
  }

 private:
  TransformerConfig config_;
  std::unique_ptr<TokenTable> shared_;  // Tying::all and inputs
  Encoder encoder_;
  Decoder decoder_;
  std::unique_ptr<TokenTable> projection_;  // Tying::none and inputs
  Parameter projection_bias_;               // where there is one
};

}  // namespace yona
