#include "yona/models/rnn.h"

#include <fmt/format.h>

#include "yona/tensor/ops/add.h"
#include "yona/tensor/ops/dropout.h"
#include "yona/tensor/ops/gather_rows.h"
#include "yona/tensor/ops/join_columns.h"
#include "yona/tensor/ops/tanh.h"

namespace yona {

namespace {

AttentionSpec alignment_spec(const Seq2SeqConfig& config) {
  return {.kind = config.alignment == Alignment::additive ? AttentionKind::additive
                                                          : AttentionKind::unscaled,
          .dropout = config.attention_dropout};
}

// What each direction has when it has read the whole sentence: [S, d_model].
Tensor last_states(const Ragged& memory, Context& c) {
  const std::vector<std::int64_t> offsets = host_offsets(*memory.layout, c.backend());
  std::vector<std::int32_t> first;
  std::vector<std::int32_t> last;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    first.push_back(static_cast<std::int32_t>(offsets[s]));
    last.push_back(static_cast<std::int32_t>(offsets[s + 1] - 1));
  }
  const std::int64_t half = memory.values.cols() / 2;
  return join_columns(
      gather_rows(memory.values.columns(0, half), row_numbers(last, c.region), c),
      gather_rows(memory.values.columns(half, half), row_numbers(first, c.region), c), c);
}

}  // namespace

RnnEncoderLayer::RnnEncoderLayer(const Seq2SeqConfig& config)
    : dropout_(config.dropout),
      forward_(config.d_model, config.d_model / 2, config.cell),
      backward_(config.d_model, config.d_model / 2, config.cell) {
  add("forward", forward_);
  add("backward", backward_);
}

Ragged RnnEncoderLayer::operator()(const Ragged& x, const Orders& orders, Context& c) const {
  const Tensor both = join_columns(forward_(x.values, orders.forward, {}, c),
                                   backward_(x.values, orders.backward, {}, c), c);  // [T, d_model]
  return x.with(dropout(both, {c.dropout(dropout_, stream()), *x.layout}, c));
}

RnnEncoder::RnnEncoder(const Seq2SeqConfig& config, const TokenTable& table)
    : positions_(PositionKind::none, config.max_positions, config.d_model, config.position_base),
      embedding_(table, positions_, {.dropout = config.dropout}) {
  add("positions", positions_);
  add("input", embedding_);
  for (std::int64_t i = 0; i < config.encoder_layers; ++i) {
    layers_.push_back(std::make_unique<RnnEncoderLayer>(config));
    add(fmt::format("layers.{}", i), *layers_.back());
  }
}

Ragged RnnEncoder::operator()(const Tokens& source, Context& c) const {
  const RnnEncoderLayer::Orders orders{time_order(*source.layout, Direction::forward, c.region),
                                       time_order(*source.layout, Direction::backward, c.region)};
  Ragged x = (*layers_.front())(embedding_(source, c), orders, c);  // [T, d_model]
  for (std::size_t i = 1; i < layers_.size(); ++i) {
    x = x.with(yona::add(x.values, (*layers_[i])(x, orders, c).values, c));
  }
  return x;
}

RnnDecoderLayer::RnnDecoderLayer(const Seq2SeqConfig& config)
    : dropout_(config.dropout), recurrent_(config.d_model, config.d_model, config.cell) {
  add("recurrent", recurrent_);
}

Ragged RnnDecoderLayer::operator()(const Ragged& x, const TimeOrder& order, const Tensor& initial,
                                   Context& c) const {
  return x.with(dropout(recurrent_(x.values, order, initial, c),
                        {c.dropout(dropout_, stream()), *x.layout}, c));  // [T, d_model]
}

Ragged RnnDecoderLayer::step(const Ragged& x, const std::function<Tensor()>& first,
                             std::int64_t sentences, Context& c) const {
  return x.with(recurrent_.step(x.values, first, sentences, c));  // [rows, d_model]
}

RnnDecoder::RnnDecoder(const Seq2SeqConfig& config, const TokenTable& table)
    : d_model_(config.d_model),
      dropout_(config.dropout),
      positions_(PositionKind::none, config.max_positions, config.d_model, config.position_base),
      embedding_(table, positions_, {.dropout = config.dropout}),
      initial_(config.d_model, config.decoder_layers * config.d_model) {
  add("positions", positions_);
  add("input", embedding_);
  add("initial", initial_);
  for (std::int64_t i = 0; i < config.decoder_layers; ++i) {
    layers_.push_back(std::make_unique<RnnDecoderLayer>(config));
    add(fmt::format("layers.{}", i), *layers_.back());
  }
  if (config.alignment != Alignment::none) {
    attention_ = std::make_unique<MultiHeadAttention>(config.d_model, one_wide_head(config),
                                                      alignment_spec(config));
    combine_ = std::make_unique<Linear>(config.d_model, config.d_model, Biases::no);
    const std::string last = fmt::format("layers.{}", config.decoder_layers - 1);
    add(last + ".cross_attention", *attention_);
    add(last + ".combine", *combine_);
  }
}

// h_0 = tanh(W [last forward state; first backward state] + b), for each layer
Tensor RnnDecoder::initial(const Ragged& memory, Context& c) const {
  return tanh(initial_(last_states(memory, c), c), c);
}

Ragged RnnDecoder::states(const Ragged& x, const Ragged& memory, Context& c) const {
  const bool by_steps = c.cache != nullptr;
  const TimeOrder order =
      by_steps ? TimeOrder{} : time_order(*x.layout, Direction::forward, c.region);
  Tensor all = by_steps ? Tensor() : initial(memory, c);  // [S, layers · d_model]
  Ragged y = x;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const auto own = [&] {
      all = all ? all : initial(memory, c);
      return all.columns(static_cast<std::int64_t>(i) * d_model_, d_model_);
    };
    const Ragged h = by_steps ? layers_[i]->step(y, own, memory.layout->sentences, c)
                              : (*layers_[i])(y, order, own(), c);  // [T, d_model]
    y = i == 0 ? h : y.with(yona::add(y.values, h.values, c));      // [T, d_model]
  }
  return y;
}

// h̃ = tanh(W_c [context; h]), where the context is the attention of h to the memory, already
// multiplied with its half of W_c                          Luong et al. 2015, eq. 5
Ragged RnnDecoder::operator()(const Tokens& target, const Ragged& memory, Context& c) const {
  Ragged h = states(embedding_(target, c), memory, c);  // [T, d_model]
  if (!attention_) {
    return h;
  }
  const Ragged context = (*attention_)(h, memory, c).formed(c);  // [T, d_model]
  const Tensor combined = tanh(yona::add((*combine_)(h.values, c), context.values, c), c);
  if (c.cache != nullptr) {
    return h.with(combined);  // [rows, d_model]
  }
  return h.with(dropout(combined, {c.dropout(dropout_, stream()), *h.layout}, c));  // [T, d_model]
}

Rnn::Rnn(const Seq2SeqConfig& config)
    : shape_((check_config(config), seq2seq_shape(config))),
      tables_(config),
      encoder_(config, tables_.source()),
      decoder_(config, tables_.target()) {
  add(tables_);
  add("encoder", encoder_);
  add("decoder", decoder_);
}

}  // namespace yona
