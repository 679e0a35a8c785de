#include "yona/models/transformer.h"

namespace yona {

namespace {

std::unique_ptr<TokenTable> own_table(const TokenTable* shared, std::int64_t vocabulary,
                                      std::int64_t d_model) {
  return shared != nullptr ? nullptr : std::make_unique<TokenTable>(vocabulary, d_model);
}

std::unique_ptr<LayerNorm> final_norm(const TransformerConfig& config) {
  return config.norm == NormPosition::pre ? std::make_unique<LayerNorm>(config.d_model) : nullptr;
}

}  // namespace

EncoderLayer::EncoderLayer(const TransformerConfig& config)
    : self_attention_(config.d_model, config.head_shape(), config.attention,
                      config.attention_dropout),
      self_attention_norm_(config.d_model, config.norm, config.dropout),
      feed_forward_(config.d_model, config.d_ff, config.activation, config.activation_dropout),
      feed_forward_norm_(config.d_model, config.norm, config.dropout) {
  add("self_attention", self_attention_);
  add("self_attention_norm", self_attention_norm_);
  add("feed_forward", feed_forward_);
  add("feed_forward_norm", feed_forward_norm_);
}

// x ← LN(x + MultiHead(x, x, x));  x ← LN(x + FFN(x))          §3.1 "Encoder"
Ragged EncoderLayer::operator()(const Ragged& x, Context& c) const {
  const Ragged y = self_attention_norm_(
      x, [&](const Ragged& z) { return self_attention_(z, Mask::none, c); }, c);  // [T, d_model]
  return feed_forward_norm_(
      y, [&](const Ragged& z) { return feed_forward_(z, c); }, c);  // [T, d_model]
}

DecoderLayer::DecoderLayer(const TransformerConfig& config)
    : self_attention_(config.d_model, config.head_shape(), config.attention,
                      config.attention_dropout),
      self_attention_norm_(config.d_model, config.norm, config.dropout),
      cross_attention_(config.d_model, config.head_shape(), config.attention,
                       config.attention_dropout),
      cross_attention_norm_(config.d_model, config.norm, config.dropout),
      feed_forward_(config.d_model, config.d_ff, config.activation, config.activation_dropout),
      feed_forward_norm_(config.d_model, config.norm, config.dropout) {
  add("self_attention", self_attention_);
  add("self_attention_norm", self_attention_norm_);
  add("cross_attention", cross_attention_);
  add("cross_attention_norm", cross_attention_norm_);
  add("feed_forward", feed_forward_);
  add("feed_forward_norm", feed_forward_norm_);
}

// x ← LN(x + MaskedMultiHead(x, x, x));  x ← LN(x + MultiHead(x, memory, memory));
// x ← LN(x + FFN(x))                                            §3.1 "Decoder"
Ragged DecoderLayer::operator()(const Ragged& x, const Ragged& memory, Context& c) const {
  const Ragged y = self_attention_norm_(
      x, [&](const Ragged& z) { return self_attention_(z, Mask::causal, c); }, c);  // [T, d_model]
  const Ragged u = cross_attention_norm_(
      y, [&](const Ragged& z) { return cross_attention_(z, memory, c); }, c);  // [T, d_model]
  return feed_forward_norm_(
      u, [&](const Ragged& z) { return feed_forward_(z, c); }, c);  // [T, d_model]
}

Encoder::Encoder(const TransformerConfig& config, TokenTable* shared)
    : own_table_(own_table(shared, config.source_vocabulary, config.d_model)),
      positions_(config.positions, config.max_positions, config.d_model, config.position_base),
      embedding_(own_table_ ? *own_table_ : *shared, positions_, config.dropout),
      norm_(final_norm(config)) {
  if (own_table_) {
    add("embedding", *own_table_);
  }
  add("positions", positions_);
  add("input", embedding_);
  for (std::int64_t n = 0; n < config.encoder_layers; ++n) {
    add("layers." + std::to_string(n), layers_.emplace_back(config));
  }
  if (norm_) {
    add("norm", *norm_);
  }
}

Ragged Encoder::operator()(const Tokens& source, Context& c) const {
  Ragged x = embedding_(source, c);  // [T, d_model]
  for (const EncoderLayer& layer : layers_) {
    x = layer(x, c);
  }
  return norm_ ? (*norm_)(x, c) : x;
}

Decoder::Decoder(const TransformerConfig& config, TokenTable* shared)
    : shared_(shared),
      own_table_(own_table(shared, config.target_vocabulary, config.d_model)),
      positions_(config.positions, config.max_positions, config.d_model, config.position_base),
      embedding_(table(), positions_, config.dropout),
      norm_(final_norm(config)) {
  if (own_table_) {
    add("embedding", *own_table_);
  }
  add("positions", positions_);
  add("input", embedding_);
  for (std::int64_t n = 0; n < config.decoder_layers; ++n) {
    add("layers." + std::to_string(n), layers_.emplace_back(config));
  }
  if (norm_) {
    add("norm", *norm_);
  }
}

Ragged Decoder::operator()(const Tokens& target, const Ragged& memory, Context& c) const {
  Ragged x = embedding_(target, c);  // [T, d_model]
  for (const DecoderLayer& layer : layers_) {
    x = layer(x, memory, c);
  }
  return norm_ ? (*norm_)(x, c) : x;
}

Transformer::Transformer(const TransformerConfig& config)
    : config_((check_config(config), config)),
      shared_(config.tying == Tying::all
                  ? std::make_unique<TokenTable>(config.source_vocabulary, config.d_model)
                  : nullptr),
      encoder_(config, shared_.get()),
      decoder_(config, shared_.get()),
      projection_(config.tying == Tying::none
                      ? std::make_unique<TokenTable>(config.target_vocabulary, config.d_model)
                      : nullptr) {
  if (shared_) {
    add("shared", *shared_);
  }
  add("encoder", encoder_);
  add("decoder", decoder_);
  if (projection_) {
    add("projection", *projection_);
  }
}

Tensor Transformer::projection() const {
  return projection_ ? projection_->projection() : decoder_.table().projection();
}

}  // namespace yona
