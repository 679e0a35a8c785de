#include "yona/models/feed_forward_s2s.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/models/unfolding.h"
#include "yona/tensor/ops/add.h"
#include "yona/tensor/ops/gather_rows.h"
#include "yona/tensor/ops/prepend_rows.h"
#include "yona/tensor/ops/recurrent.h"

namespace yona {

namespace {

BlockOptions layer_options(const Seq2SeqConfig& config, double dropout, double inner_dropout) {
  BlockOptions options = config.block();
  options.norm.position = NormPosition::post;
  options.norm.dropout = dropout;
  options.activation_dropout = inner_dropout;
  return options;
}

}  // namespace

FeedForwardStack::FeedForwardStack(const BlockOptions& options, std::int64_t layers) {
  for (std::int64_t i = 0; i < layers; ++i) {
    layers_.push_back(std::make_unique<FeedForwardBlock>(options));
    add(fmt::format("layers.{}", i), *layers_.back());
  }
}

Ragged FeedForwardStack::operator()(Residual x, Context& c) const {
  for (const auto& layer : layers_) {
    x = (*layer)(std::move(x), c);
  }
  return x.sum(c);
}

// Dropout is of the source's tokens and of what the decoder has, whose rows have keys of their own.
FeedForwardS2S::FeedForwardS2S(const Seq2SeqConfig& config)
    : shape_((check_config(config), seq2seq_shape(config))),
      tables_(config),
      no_positions_(PositionKind::none, shape_.max_positions, config.d_model, 1.0),
      positions_(PositionKind::sinusoidal, shape_.max_positions, config.d_model,
                 config.position_base),
      source_(tables_.source(), no_positions_, {.dropout = config.dropout}),
      target_(tables_.target(), positions_, {.dropout = config.dropout}),
      join_(shape_.max_positions * config.d_model, config.d_model),
      encoder_(layer_options(config, 0.0, 0.0), config.encoder_layers),
      unfold_(config.d_model, config.d_model),
      window_(config.d_model, config.d_model, {.width = config.kernel_width, .causal = true}),
      decoder_(layer_options(config, config.dropout, config.activation_dropout),
               config.decoder_layers) {
  add(tables_);
  add("encoder.positions", no_positions_);
  add("decoder.positions", positions_);
  add("encoder.input", source_);
  add("decoder.input", target_);
  add("encoder.join", join_);
  add("encoder", encoder_);
  add("decoder.unfold", unfold_);
  add("decoder.window", window_);
  add("decoder", decoder_);
}

// [e_1; …; e_n] of each sentence: [S, n · d_model]. A row of zeros in front of each sentence is
// what the places behind its end are gathered from.
Tensor FeedForwardS2S::joined_tokens(const Ragged& x, Context& c) const {
  const std::int64_t n = shape_.max_positions;
  const std::int64_t d = x.values.cols();
  const std::vector<std::int64_t> offsets = host_offsets(*x.layout, c.backend());
  std::vector<std::int64_t> longer(offsets);
  std::vector<std::int32_t> rows;
  for (std::size_t s = 0; s < offsets.size(); ++s) {
    longer[s] += static_cast<std::int64_t>(s);
  }
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const std::int64_t length = offsets[s + 1] - offsets[s];
    for (std::int64_t t = 0; t < n; ++t) {
      rows.push_back(static_cast<std::int32_t>(longer[s] + (t < length ? t + 1 : 0)));
    }
  }
  const Ragged with_zeros = prepend_rows(x, c.zeros(sum_type(x.values.dtype()), Shape{1, d}),
                                         make_layout(longer, {}, c.region), c);  // [T + S, d_model]
  return gather_rows(with_zeros.values, row_numbers(rows, c.region), c)
      .reshape(Shape{x.layout->sentences, n * d});
}

Ragged FeedForwardS2S::encode(const Tokens& source, Context& c) const {
  check(source.layout->longest <= shape_.max_positions,
        "feed-forward: a source of {} tokens is longer than the input of {} "
        "(model.input_length); translate shorter sentences, or train with a longer input",
        source.layout->longest, shape_.max_positions);
  const Tensor joined = join_(joined_tokens(source_(source, c), c), c);  // [S, d_model]
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(source.layout->sentences) + 1);
  std::iota(offsets.begin(), offsets.end(), 0);
  return encoder_(Ragged{joined, make_layout(offsets, {}, c.region)}, c);  // [S, d_model]
}

Ragged FeedForwardS2S::decode(const Tokens& target, const Ragged& memory, Context& c) const {
  const Ragged words = window_(target_(target, c), memory.layout->sentences, c);  // [T, d_model]
  const Tensor seen = unfolded(memory, *target.layout, unfold_, c);               // [T, d_model]
  return decoder_(words.with(yona::add(words.values, seen, c)), c);               // [T, d_model]
}

}  // namespace yona
