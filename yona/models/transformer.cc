#include "yona/models/transformer.h"

#include <cmath>

#include "yona/tensor/ops/add.h"

namespace yona {

namespace {

std::unique_ptr<TokenTable> make_table(const TransformerConfig& config, std::int64_t vocabulary) {
  return std::make_unique<TokenTable>(vocabulary, config.d_model, config.departures.padding);
}

std::unique_ptr<LayerNorm> make_embedding_norm(const TransformerConfig& config) {
  return config.departures.embedding_norm
             ? std::make_unique<LayerNorm>(config.d_model, config.departures.norm_kind,
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

std::unique_ptr<RotaryPositions> make_rotary_positions(const TransformerConfig& config) {
  return config.positions != PositionKind::rotary ? nullptr
                                                  : std::make_unique<RotaryPositions>(RotaryOptions{
                                                        .channels = config.head_shape().d_k,
                                                        .base = config.position_base,
                                                        .max_positions = config.max_positions});
}

EmbeddingOptions embedding_options(const TransformerConfig& config, const LayerNorm* norm) {
  return {.dropout = config.dropout,
          .scaled = config.departures.scaled_embedding,
          .norm = norm,
          .constant_id = static_cast<std::int32_t>(config.departures.constant_input)};
}

SequenceShape shape_of(const TransformerConfig& config) {
  const Departures& departures = config.departures;
  const bool is_barred = departures.padding == Padding::barred;
  const std::int64_t last = config.target_vocabulary - 1;
  return {
      .source_vocabulary = config.source_vocabulary,
      .target_vocabulary = config.target_vocabulary,
      .outputs = is_barred ? last : config.target_vocabulary,
      .max_positions = config.max_positions,
      .decoder_layers = config.decoder_layers,
      .start_id = static_cast<std::int32_t>(departures.start_id >= 0 ? departures.start_id : last),
      .plain_projection = !departures.projection_bias && !departures.scaled_output,
      .uploads_in_steps = config.positions == PositionKind::relative};
}

bool shares_inputs(const TransformerConfig& config) {
  return config.tying == Tying::all || config.tying == Tying::inputs;
}

}  // namespace

EncoderLayer::EncoderLayer(const BlockOptions& options)
    : self_attention_(options), feed_forward_(options) {
  add(self_attention_);
  add(feed_forward_);
}

// x ← LN(x + MultiHead(x, x, x));  x ← LN(x + FFN(x))          §3.1 "Encoder"
Residual EncoderLayer::operator()(Residual x, const Sight& sight, Context& c) const {
  x = self_attention_(std::move(x), sight, c);  // [T, d_model]
  return feed_forward_(std::move(x), c);        // [T, d_model]
}

std::vector<ReversibleBlock> EncoderLayer::blocks(const Sight& sight) const {
  return {[this, sight](const Ragged& x, Context& c) { return self_attention_(x, sight, c); },
          [this](const Ragged& x, Context& c) { return feed_forward_(x, c); }};
}

DecoderLayer::DecoderLayer(const BlockOptions& options)
    : self_attention_(options), cross_attention_(options), feed_forward_(options) {
  add(self_attention_);
  add(cross_attention_);
  add(feed_forward_);
}

// x ← LN(x + MaskedMultiHead(x, x, x));  x ← LN(x + MultiHead(x, memory, memory));
// x ← LN(x + FFN(x))                                            §3.1 "Decoder"
Residual DecoderLayer::operator()(Residual x, const Ragged& memory, const Sight& sight,
                                  Context& c) const {
  x = self_attention_(std::move(x), sight, c);    // [T, d_model]
  x = cross_attention_(std::move(x), memory, c);  // [T, d_model]
  return feed_forward_(std::move(x), c);          // [T, d_model]
}

std::vector<ReversibleBlock> DecoderLayer::blocks(const Ragged& memory, const Sight& sight) const {
  return {[this, sight](const Ragged& x, Context& c) { return self_attention_(x, sight, c); },
          [this, memory](const Ragged& x, Context& c) { return cross_attention_(x, memory, c); },
          [this](const Ragged& x, Context& c) { return feed_forward_(x, c); }};
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
      rotary_positions_(make_rotary_positions(config)),
      embedding_norm_(make_embedding_norm(config)),
      embedding_(table(), positions_, embedding_options(config, embedding_norm_.get())),
      layers_(size.layers, config.block(rotary_positions_.get())) {
  if (own_table_) {
    add("embedding", *own_table_);
  }
  add("positions", positions_);
  if (relative_positions_) {
    add("relative_positions", *relative_positions_);
  }
  if (rotary_positions_) {
    add("rotary", *rotary_positions_);
  }
  if (embedding_norm_) {
    add("embedding_norm", *embedding_norm_);
  }
  add("input", embedding_);
  add(layers_);
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
  return layers_(std::move(x), all, c);  // [T, d_model]
}

Decoder::Decoder(const TransformerConfig& config, const TokenTable* shared)
    : LayerStack(config, shared, {config.target_vocabulary, config.decoder_layers},
                 config.missing == MissingPart::causal_mask ? Mask::none : Mask::causal) {}

Ragged Decoder::operator()(const Tokens& target, const Ragged& memory, Context& c) const {
  Residual x = embedding_(target, c);  // [T, d_model]
  const Sight before = sight(c);
  return layers_(std::move(x), memory, before, c);  // [T, d_model]
}

Transformer::Transformer(const TransformerConfig& config)
    : config_((check_config(config), config)),
      shape_(shape_of(config)),
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

OutputLayer Transformer::output_layer() const {
  return {projection_ ? projection_->projection() : decoder_.table().projection(),
          projection_bias_.value};
}

Tensor Transformer::projected_states(const Tensor& states, Context& c) const {
  return config_.departures.scaled_output
             ? scale(states, 1.0F / std::sqrt(static_cast<float>(config_.d_model)), c)
             : states;  // [T, d_model]
}

}  // namespace yona
