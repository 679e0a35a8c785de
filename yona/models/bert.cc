#include "yona/models/bert.h"

#include <numeric>
#include <vector>

#include "yona/base/error.h"
#include "yona/tensor/ops/dropout.h"
#include "yona/tensor/ops/embed.h"
#include "yona/tensor/ops/gather_rows.h"
#include "yona/tensor/ops/gelu.h"
#include "yona/tensor/ops/linear.h"
#include "yona/tensor/ops/segment_mean.h"
#include "yona/tensor/ops/tanh.h"

namespace yona {

namespace {

constexpr double kBertDeviation = 0.02;  // of new tables: initializer_range

Tensor uploaded(std::span<const std::int32_t> values, Region& region) {
  Tensor tensor(region, DType::i32, Shape{static_cast<std::int64_t>(values.size())});
  tensor.upload_bytes(values.data(), static_cast<std::int64_t>(values.size_bytes()));
  return tensor;
}

void check_texts(const BertTexts& texts, std::int64_t max_positions) {
  for (std::size_t s = 0; s + 1 < texts.offsets.size(); ++s) {
    const std::int64_t length = texts.offsets[s + 1] - texts.offsets[s];
    check(length > 0 && length <= max_positions,
          "text {} has {} tokens; the model has positions for 1 to {}", s + 1, length,
          max_positions);
  }
}

}  // namespace

BertEmbedding::BertEmbedding(const BertConfig& config)
    : tokens_(config.vocabulary, config.d_model, Padding::ordinary),
      norm_(config.d_model, NormKind::layer, static_cast<float>(config.norm_epsilon)),
      first_position_(config.first_position),
      dropout_(config.dropout) {
  add("tokens", tokens_);
  positions_ = {.shape = {config.first_position + config.max_positions, config.d_model},
                .init = Init::normal,
                .deviation = kBertDeviation};
  add("positions.weight", positions_);
  if (config.token_types > 0) {
    types_ = {.shape = {config.token_types, config.d_model},
              .init = Init::normal,
              .deviation = kBertDeviation};
    add("types.weight", types_);
  }
  add("norm", norm_);
}

// x = Dropout(LN(E_token + E_segment + E_position))          figure 2
Ragged BertEmbedding::operator()(const BertInput& input, Context& c) const {
  const Layout& layout = *input.tokens.layout;
  const Tensor positions =
      positions_.value.row_range(first_position_, positions_.shape[0] - first_position_);
  const Ragged placed = {
      embed(input.tokens.ids, layout, tokens_.weight(), positions, {}, c),  // [T, d_model]
      input.tokens.layout};
  const Ragged x =
      types_.value
          ? norm_({placed, placed.with(embed(input.types, layout, types_.value, {}, {}, c)), {}}, c)
          : norm_(placed, c);  // [T, d_model]
  return x.with(dropout(x.values, {c.dropout(dropout_, stream()), layout}, c));
}

MaskedLmHead::MaskedLmHead(const BertConfig& config)
    : dense_(config.d_model, config.d_model),
      norm_(config.d_model, NormKind::layer, static_cast<float>(config.norm_epsilon)) {
  add("dense", dense_);
  add("norm", norm_);
  bias_.shape = Shape{config.vocabulary};
  add("bias", bias_);
}

// LN(gelu(x W + b))
Tensor MaskedLmHead::operator()(const Tensor& states, Context& c) const {
  return norm_(Ragged{gelu(dense_(states, c), c), nullptr}, c).values;  // [n, d_model]
}

Bert::Bert(const BertConfig& config)
    : config_((check_config(config), config)),
      embedding_(config),
      layers_(config.layers, config.block()) {
  add("embedding", embedding_);
  add(layers_);
  if (config.pooler != Pooler::none) {
    pooler_ = std::make_unique<Linear>(config.d_model, config.d_model);
    add("pooler", *pooler_);
  }
  if (config.labels > 0) {
    classifier_ = std::make_unique<Linear>(config.d_model, config.labels);
    add("classifier", *classifier_);
  }
  if (config.masked_lm) {
    masked_lm_ = std::make_unique<MaskedLmHead>(config);
    add("masked_lm", *masked_lm_);
  }
}

BertInput Bert::input(const BertTexts& texts, Region& region) const {
  check_texts(texts, config_.max_positions);
  BertInput input;
  input.tokens = {uploaded(texts.ids, region), make_layout(texts.offsets, texts.text_ids, region)};
  if (config_.token_types > 0) {
    const std::vector<std::int32_t> zeros(texts.types.empty() ? texts.ids.size() : 0, 0);
    input.types =
        uploaded(texts.types.empty() ? std::span<const std::int32_t>(zeros) : texts.types, region);
  }
  const std::vector<std::int32_t> first(texts.offsets.begin(), texts.offsets.end() - 1);
  input.first = uploaded(first, region);
  std::vector<std::int64_t> rows(texts.offsets.size());
  std::iota(rows.begin(), rows.end(), 0);
  input.texts = make_layout(rows, texts.text_ids, region);
  return input;
}

Ragged Bert::states(const BertInput& input, Context& c) const {
  return layers_(embedding_(input, c), Mask::none, c);  // [T, d_model]
}

// Dropout(f(W h + b)) of the first token's state or of the mean h of all states
Tensor Bert::text_vectors(const BertInput& input, const Ragged& states, Context& c) const {
  Tensor h = config_.text_vector == TextVector::first ? gather_rows(states.values, input.first, c)
                                                      : segment_mean(states, c);  // [S, d_model]
  if (config_.pooler == Pooler::tanh) {
    h = tanh((*pooler_)(h, c), c);
  } else if (config_.pooler == Pooler::relu) {
    h = (*pooler_)(h, c, {.activation = Activation::relu, .dropout = {}});
  }
  return dropout(h, {c.dropout(config_.classifier_dropout, stream()), *input.texts}, c);
}

OutputLayer Bert::classifier() const {
  check(classifier_ != nullptr, "the model has no classification head");
  return {classifier_->weight(), classifier_->bias()};
}

Tensor Bert::masked_states(const Tensor& rows, Context& c) const {
  check(masked_lm_ != nullptr, "the model has no head for masked tokens");
  return (*masked_lm_)(rows, c);  // [n, d_model]
}

OutputLayer Bert::masked_lm() const {
  check(masked_lm_ != nullptr, "the model has no head for masked tokens");
  return {embedding_.tokens().weight(), masked_lm_->bias()};
}

Tensor logits_of(const Tensor& states, const OutputLayer& layer, Context& c) {
  return linear(states, layer.weight, layer.bias, {}, c);
}

}  // namespace yona
