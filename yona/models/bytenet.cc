#include "yona/models/bytenet.h"

#include <fmt/format.h>

#include "yona/models/unfolding.h"
#include "yona/tensor/ops/add.h"
#include "yona/tensor/ops/dropout.h"
#include "yona/tensor/ops/gelu.h"

namespace yona {

namespace {

// What each product reads: an activation of a norm.
Ragged activated(const LayerNorm& norm, const Ragged& x, Context& c) {
  const Ragged normed = norm(x, c);
  return normed.with(gelu(normed.values, c));
}

}  // namespace

ByteNetBlock::ByteNetBlock(const Seq2SeqConfig& config, const Window& window)
    : dropout_(config.dropout),
      norm1_(config.d_model),
      norm2_(config.d_model / 2),
      norm3_(config.d_model / 2),
      narrow_(config.d_model, config.d_model / 2),
      convolution_(config.d_model / 2, config.d_model / 2, window),
      widen_(config.d_model / 2, config.d_model) {
  add("norm1", norm1_);
  add("narrow", narrow_);
  add("norm2", norm2_);
  add("convolution", convolution_);
  add("norm3", norm3_);
  add("widen", widen_);
}

Ragged ByteNetBlock::operator()(const Ragged& x, std::int64_t sentences, Context& c) const {
  const Ragged a = narrow_(activated(norm1_, x, c), c);                  // [T, d_model / 2]
  const Ragged b = convolution_(activated(norm2_, a, c), sentences, c);  // [T, d_model / 2]
  const Ragged y = widen_(activated(norm3_, b, c), c);                   // [T, d_model]
  const Dropout drop = c.dropout(dropout_, stream());
  return x.with(yona::add(x.values, drop ? dropout(y.values, {drop, *x.layout}, c) : y.values,
                          c));  // [T, d_model]
}

ByteNetStack::ByteNetStack(const Seq2SeqConfig& config, std::int64_t layers, bool causal)
    : norm_(config.d_model) {
  std::int64_t dilation = 1;
  for (std::int64_t i = 0; i < layers; ++i) {
    layers_.push_back(std::make_unique<ByteNetBlock>(
        config, Window{.width = config.kernel_width, .dilation = dilation, .causal = causal}));
    add(fmt::format("layers.{}", i), *layers_.back());
    dilation = 2 * dilation > config.longest_dilation ? 1 : 2 * dilation;
  }
  add("norm", norm_);
}

Ragged ByteNetStack::operator()(Ragged x, std::int64_t sentences, Context& c) const {
  for (const auto& layer : layers_) {
    x = (*layer)(x, sentences, c);
  }
  return norm_(x, c);  // [T, d_model]
}

ByteNet::ByteNet(const Seq2SeqConfig& config)
    : shape_((check_config(config), seq2seq_shape(config))),
      tables_(config),
      positions_(PositionKind::none, config.max_positions, config.d_model, config.position_base),
      source_(tables_.source(), positions_, {.dropout = config.dropout}),
      target_(tables_.target(), positions_, {.dropout = config.dropout}),
      encoder_(config, config.encoder_layers, false),
      decoder_(config, config.decoder_layers, true),
      unfold_(config.d_model, config.d_model) {
  add(tables_);
  add("positions", positions_);
  add("encoder.input", source_);
  add("decoder.input", target_);
  add("encoder", encoder_);
  add("decoder.unfold", unfold_);
  add("decoder", decoder_);
}

Ragged ByteNet::encode(const Tokens& source, Context& c) const {
  return encoder_(source_(source, c), source.layout->sentences, c);  // [T, d_model]
}

Ragged ByteNet::decode(const Tokens& target, const Ragged& memory, Context& c) const {
  const Ragged x = target_(target, c);                               // [T, d_model]
  const Tensor seen = unfolded(memory, *target.layout, unfold_, c);  // [T, d_model]
  return decoder_(x.with(yona::add(x.values, seen, c)), memory.layout->sentences, c);
}

}  // namespace yona
