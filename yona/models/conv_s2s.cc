#include "yona/models/conv_s2s.h"

#include <numbers>

#include <fmt/format.h>

#include "yona/tensor/ops/add.h"
#include "yona/tensor/ops/dropout.h"
#include "yona/tensor/ops/multiply.h"
#include "yona/tensor/ops/tanh.h"

namespace yona {

namespace {

// (x + y) √½
Ragged half_sum(const Ragged& x, const Ragged& y, Context& c) {
  constexpr float kRoot = static_cast<float>(1.0 / std::numbers::sqrt2);
  return x.with(yona::add(x.values, y.values, c, kRoot, kRoot));
}

}  // namespace

ConvS2SDecoder::Layer::Layer(const Seq2SeqConfig& config)
    : convolution(config, true),
      attention(config.d_model, one_wide_head(config),
                {.kind = AttentionKind::scaled, .dropout = config.attention_dropout}) {}

GatedConvolution::GatedConvolution(const Seq2SeqConfig& config, bool causal)
    : d_model_(config.d_model),
      dropout_(config.dropout),
      convolution_(config.d_model, 2 * config.d_model,
                   {.width = config.kernel_width, .dilation = 1, .causal = causal}) {
  add(convolution_);
}

Ragged GatedConvolution::operator()(const Ragged& x, std::int64_t sentences, Context& c) const {
  const Dropout drop = c.dropout(dropout_, stream());
  const Ragged input = drop ? x.with(dropout(x.values, {drop, *x.layout}, c)) : x;
  const Tensor both = convolution_(input, sentences, c).values;  // [T, 2 · d_model]
  return x.with(multiply(both.columns(0, d_model_), sigmoid(both.columns(d_model_, d_model_), c),
                         c));  // [T, d_model]
}

ConvS2SEncoder::ConvS2SEncoder(const Seq2SeqConfig& config, const TokenTable& table)
    : positions_(PositionKind::sinusoidal, config.max_positions, config.d_model, 10000.0),
      embedding_(table, positions_, {.dropout = config.dropout}) {
  add("positions", positions_);
  add("input", embedding_);
  for (std::int64_t i = 0; i < config.encoder_layers; ++i) {
    layers_.push_back(std::make_unique<GatedConvolution>(config, false));
    add(fmt::format("layers.{}.convolution", i), *layers_.back());
  }
}

// z ← (GLU(conv(z)) + z) √½ in every layer; the memory is (z + e) √½ with the embeddings e  §3.3
Ragged ConvS2SEncoder::operator()(const Tokens& source, Context& c) const {
  const Ragged e = embedding_(source, c);  // [T, d_model]
  Ragged z = e;
  for (const auto& layer : layers_) {
    z = half_sum((*layer)(z, source.layout->sentences, c), z, c);
  }
  return half_sum(z, e, c);  // [T, d_model]
}

ConvS2SDecoder::ConvS2SDecoder(const Seq2SeqConfig& config, const TokenTable& table)
    : positions_(PositionKind::sinusoidal, config.max_positions, config.d_model, 10000.0),
      embedding_(table, positions_, {.dropout = config.dropout}) {
  add("positions", positions_);
  add("input", embedding_);
  for (std::int64_t i = 0; i < config.decoder_layers; ++i) {
    layers_.push_back(std::make_unique<Layer>(config));
    add(fmt::format("layers.{}.convolution", i), layers_.back()->convolution);
    add(fmt::format("layers.{}.cross_attention", i), layers_.back()->attention);
  }
}

// In every layer: h = GLU(conv(y)); queries are (h + g) √½ with the embeddings g; h ← (h +
// attention) √½; y ← (h + y) √½                                                            §3.3
Ragged ConvS2SDecoder::operator()(const Tokens& target, const Ragged& memory, Context& c) const {
  const Ragged g = embedding_(target, c);  // [T, d_model]
  Ragged y = g;
  for (const auto& layer : layers_) {
    const Ragged h = layer->convolution(y, memory.layout->sentences, c);
    const Ragged seen = layer->attention(half_sum(h, g, c), memory, c).formed(c);
    y = half_sum(half_sum(h, seen, c), y, c);
  }
  return y;  // [T, d_model]
}

ConvS2S::ConvS2S(const Seq2SeqConfig& config)
    : shape_((check_config(config), seq2seq_shape(config))),
      tables_(config),
      encoder_(config, tables_.source()),
      decoder_(config, tables_.target()) {
  add(tables_);
  add("encoder", encoder_);
  add("decoder", decoder_);
}

}  // namespace yona
