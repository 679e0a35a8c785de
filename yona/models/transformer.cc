#include "yona/models/transformer.h"

#include <cmath>

#include "yona/base/preemption.h"
#include "yona/tensor/ops/add.h"
#include "yona/tensor/ops/matmul.h"

namespace yona {

namespace {

std::unique_ptr<TokenTable> make_table(const TransformerConfig& config, std::int64_t vocabulary) {
  return std::make_unique<TokenTable>(vocabulary, config.d_model, config.departures.padding);
}

std::unique_ptr<LayerNorm> make_norm(const TransformerConfig& config, bool there) {
  return there ? std::make_unique<LayerNorm>(config.d_model, config.departures.norm_kind,
                                             static_cast<float>(config.departures.norm_epsilon))
               : nullptr;
}

std::unique_ptr<RelativePositions> make_relative_positions(const TransformerConfig& config,
                                                           Mask mask) {
  return config.positions != PositionKind::relative
             ? nullptr
             : std::make_unique<RelativePositions>(
                   DistanceBuckets{.count = config.departures.relative_buckets,
                                   .reach = config.departures.relative_reach,
                                   .both_ways = mask == Mask::none},
                   config.heads);
}

EmbeddingOptions embedding_options(const TransformerConfig& config, const LayerNorm* norm) {
  return {.dropout = config.dropout,
          .scaled = config.departures.scaled_embedding,
          .norm = norm,
          .constant_id = static_cast<std::int32_t>(config.departures.constant_input)};
}

bool shares_inputs(const TransformerConfig& config) {
  return config.tying == Tying::all || config.tying == Tying::inputs;
}

}  // namespace

EncoderLayer::EncoderLayer(const TransformerConfig& config)
    : self_attention_(config.d_model, config.head_shape(), config.attention,
                      config.attention_dropout, config.departures.biases),
      self_attention_norm_(config.residual_norm()),
      feed_forward_(config.feed_forward_shape(), config.activation_dropout),
      feed_forward_norm_(config.residual_norm()) {
  add("self_attention", self_attention_);
  add("self_attention_norm", self_attention_norm_);
  add("feed_forward", feed_forward_);
  add("feed_forward_norm", feed_forward_norm_);
}

// x ← LN(x + MultiHead(x, x, x));  x ← LN(x + FFN(x))          §3.1 "Encoder"
Residual EncoderLayer::operator()(Residual x, const Sight& sight, Context& c) const {
  Residual y = self_attention_norm_(
      std::move(x), [&](const Ragged& z) { return self_attention_.for_norm(z, sight, c); },
      c);  // [T, d_model]
  return feed_forward_norm_(
      std::move(y), [&](const Ragged& z) { return feed_forward_.for_norm(z, c); },
      c);  // [T, d_model]
}

DecoderLayer::DecoderLayer(const TransformerConfig& config)
    : self_attention_(config.d_model, config.head_shape(), config.attention,
                      config.attention_dropout, config.departures.biases),
      self_attention_norm_(config.residual_norm()),
      cross_attention_(config.d_model, config.head_shape(), config.attention,
                       config.attention_dropout, config.departures.biases),
      cross_attention_norm_(config.residual_norm()),
      feed_forward_(config.feed_forward_shape(), config.activation_dropout),
      feed_forward_norm_(config.residual_norm()) {
  add("self_attention", self_attention_);
  add("self_attention_norm", self_attention_norm_);
  add("cross_attention", cross_attention_);
  add("cross_attention_norm", cross_attention_norm_);
  add("feed_forward", feed_forward_);
  add("feed_forward_norm", feed_forward_norm_);
}

// x ← LN(x + MaskedMultiHead(x, x, x));  x ← LN(x + MultiHead(x, memory, memory));
// x ← LN(x + FFN(x))                                            §3.1 "Decoder"
Residual DecoderLayer::operator()(Residual x, const Ragged& memory, const Sight& sight,
                                  Context& c) const {
  Residual y = self_attention_norm_(
      std::move(x), [&](const Ragged& z) { return self_attention_.for_norm(z, sight, c); },
      c);  // [T, d_model]
  Residual u = cross_attention_norm_(
      std::move(y), [&](const Ragged& z) { return cross_attention_.for_norm(z, memory, c); },
      c);  // [T, d_model]
  return feed_forward_norm_(
      std::move(u), [&](const Ragged& z) { return feed_forward_.for_norm(z, c); },
      c);  // [T, d_model]
}

template <class Layer>
LayerStack<Layer>::LayerStack(const TransformerConfig& config, const TokenTable* shared, Size size,
                              Mask mask)
    : shared_(shared),
      own_table_(shared != nullptr ? nullptr : make_table(config, size.vocabulary)),
      positions_(config.positions, config.max_positions, config.d_model, config.position_base,
                 config.departures.first_position),
      mask_(mask),
      relative_positions_(make_relative_positions(config, mask)),
      embedding_norm_(make_norm(config, config.departures.embedding_norm)),
      embedding_(table(), positions_, embedding_options(config, embedding_norm_.get())),
      norm_(make_norm(config, config.norm == NormPosition::pre)) {
  if (own_table_) {
    add("embedding", *own_table_);
  }
  add("positions", positions_);
  if (relative_positions_) {
    add("relative_positions", *relative_positions_);
  }
  if (embedding_norm_) {
    add("embedding_norm", *embedding_norm_);
  }
  add("input", embedding_);
  for (std::int64_t n = 0; n < size.layers; ++n) {
    add("layers." + std::to_string(n), layers_.emplace_back(config));
  }
  if (norm_) {
    add("norm", *norm_);
  }
}

template <class Layer>
Sight LayerStack<Layer>::sight(Context& c) const {
  return {mask_, relative_positions_ ? (*relative_positions_)(c) : Tensor()};
}

Encoder::Encoder(const TransformerConfig& config, const TokenTable* shared)
    : LayerStack(config, shared, {config.source_vocabulary, config.encoder_layers}, Mask::none) {}

Ragged Encoder::operator()(const Tokens& source, Context& c) const {
  Residual x = embedding_(source, c);  // [T, d_model]
  const Sight all = sight(c);
  for (const EncoderLayer& layer : layers_) {
    preemption_point();
    x = layer(std::move(x), all, c);
  }
  return normed(x, c);
}

Decoder::Decoder(const TransformerConfig& config, const TokenTable* shared)
    : LayerStack(config, shared, {config.target_vocabulary, config.decoder_layers}, Mask::causal) {}

Ragged Decoder::operator()(const Tokens& target, const Ragged& memory, Context& c) const {
  Residual x = embedding_(target, c);  // [T, d_model]
  const Sight before = sight(c);
  for (const DecoderLayer& layer : layers_) {
    preemption_point();
    x = layer(std::move(x), memory, before, c);
  }
  return normed(x, c);
}

Transformer::Transformer(const TransformerConfig& config)
    : config_((check_config(config), config)),
      shared_(shares_inputs(config) ? make_table(config, config.source_vocabulary) : nullptr),
      encoder_(config, shared_.get()),
      decoder_(config, shared_.get()),
      projection_(config.tying == Tying::none || config.tying == Tying::inputs
                      ? make_table(config, config.target_vocabulary)
                      : nullptr) {
  if (shared_) {
    add("shared", *shared_);
  }
  add("encoder", encoder_);
  add("decoder", decoder_);
  if (projection_) {
    add("projection", *projection_);
  }
  if (config.departures.projection_bias) {
    projection_bias_.shape = Shape{outputs()};
    add("projection.bias", projection_bias_);
  }
}

Tensor Transformer::projection() const {
  return projection_ ? projection_->projection() : decoder_.table().projection();
}

Tensor Transformer::projected_states(const Tensor& states, Context& c) const {
  return config_.departures.scaled_output
             ? scale(states, 1.0F / std::sqrt(static_cast<float>(config_.d_model)), c)
             : states;  // [T, d_model]
}

Tensor Transformer::logits(const Tensor& states, const OutputLayer& layer, Context& c) const {
  const Tensor scaled = projected_states(states, c);  // [T, d_model]
  return layer.bias ? linear(scaled, layer.weight, layer.bias, {}, c)
                    : matmul(scaled, layer.weight, Transpose::yes, c);  // [T, ids]
}

}  // namespace yona
