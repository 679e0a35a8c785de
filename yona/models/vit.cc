#include "yona/models/vit.h"

#include <vector>

#include "yona/base/error.h"
#include "yona/tensor/ops/add.h"
#include "yona/tensor/ops/dropout.h"
#include "yona/tensor/ops/embed.h"
#include "yona/tensor/ops/gather_rows.h"
#include "yona/tensor/ops/linear.h"
#include "yona/tensor/ops/prepend_rows.h"
#include "yona/tensor/ops/segment_mean.h"

namespace yona {

namespace {

constexpr double kTableDeviation = 0.02;  // of new tokens and positions: initializer_range

Parameter table_of(std::int64_t rows, std::int64_t d_model) {
  return {.shape = {rows, d_model}, .init = Init::normal, .deviation = kTableDeviation};
}

Tensor numbers_of(std::span<const float> values, const Shape& shape, DType dtype, Region& region) {
  Tensor tensor(region, dtype, shape);
  if (dtype == DType::f64) {
    tensor.upload(std::vector<double>(values.begin(), values.end()));
  } else {
    tensor.upload_bytes(values.data(), static_cast<std::int64_t>(values.size_bytes()));
  }
  return tensor;
}

// What the products of this pass take, which may be bf16 or f16.
Tensor as_activations(const Tensor& x, Context& c) {
  const DType dtype = c.activation_type(x.dtype());
  if (dtype == x.dtype()) {
    return x;
  }
  Tensor y = c.empty(dtype, x.shape());
  c.kernels().add({.a = x.view(), .b = {}, .y = y.view(), .alpha = 1.0F}, c.exec());
  return y;
}

std::vector<std::int64_t> equal_offsets(std::int64_t images, std::int64_t rows) {
  std::vector<std::int64_t> offsets;
  offsets.reserve(static_cast<std::size_t>(images) + 1);
  for (std::int64_t i = 0; i <= images; ++i) {
    offsets.push_back(i * rows);
  }
  return offsets;
}

// Row `place` of each picture.
Tensor rows_at(std::int64_t place, std::int64_t images, std::int64_t rows, Region& region) {
  std::vector<std::int32_t> numbers;
  numbers.reserve(static_cast<std::size_t>(images));
  for (std::int64_t i = 0; i < images; ++i) {
    numbers.push_back(static_cast<std::int32_t>(i * rows + place));
  }
  Tensor tensor(region, DType::i32, Shape{images});
  tensor.upload(numbers);
  return tensor;
}

}  // namespace

VitEmbedding::VitEmbedding(const VitConfig& config)
    : patches_(config.patch_values(), config.d_model), dropout_(config.dropout) {
  if (config.image_vector == ImageVector::class_token) {
    class_token_ = table_of(1, config.d_model);
    add("class_token", class_token_);
  }
  if (config.distillation_token) {
    distillation_token_ = table_of(1, config.d_model);
    add("distillation_token", distillation_token_);
  }
  positions_ = table_of(config.tokens(), config.d_model);
  add("positions", positions_);
  add("patches", patches_);
}

// [x_class; x_distillation; x]: tokens in front of the patches, the last one added first
Ragged VitEmbedding::with_special_tokens(const Ragged& x, const VitInput& input, Context& c) const {
  if (!class_token_.value) {
    return x;
  }
  const Tensor tokens = distillation_token_.value
                            ? class_token_.value.joined(distillation_token_.value)
                            : class_token_.value;  // [k, d_model]
  return prepend_rows(x, tokens, input.tokens, c);
}

// z₀ = [x_class; x¹E; x²E; …; xⁿE] + E_pos                                    eq. 1
Ragged VitEmbedding::operator()(const VitInput& input, Context& c) const {
  const Ragged x =
      patches_(input.patches.with(as_activations(input.patches.values, c)), c);  // [S·n, d_model]
  const Ragged z = with_special_tokens(x, input, c);  // [S·(k+n), d_model]
  // Positions alone: every token is one that embeds as zero.
  const Tensor places = embed(input.no_tokens, *z.layout, positions_.value, positions_.value,
                              {.padding_id = 0}, c);  // [S·(k+n), d_model]
  const Ragged sum = Residual(z, z.with(places), {}).sum(c);
  return sum.with(dropout(sum.values, {c.dropout(dropout_, stream()), *z.layout}, c));
}

Vit::Vit(const VitConfig& config)
    : config_((check_config(config), config)),
      embedding_(config),
      layers_(config.layers, config.block()) {
  add("embedding", embedding_);
  add(layers_);
  if (config.labels > 0) {
    classifier_ = std::make_unique<Linear>(config.d_model, config.labels);
    add("classifier", *classifier_);
  }
  if (config.labels > 0 && config.distillation_classifier) {
    distillation_classifier_ = std::make_unique<Linear>(config.d_model, config.labels);
    add("distillation_classifier", *distillation_classifier_);
  }
}

VitInput Vit::input(const VitImages& images, Region& region) const {
  const std::int64_t n = config_.patches();
  const std::int64_t values = n * config_.patch_values();
  const auto count = static_cast<std::int64_t>(images.patches.size()) / values;
  check(count * values == static_cast<std::int64_t>(images.patches.size()),
        "{} numbers are not whole pictures of {} patches with {} numbers each",
        images.patches.size(), n, config_.patch_values());
  return input(numbers_of(images.patches, Shape{count * n, config_.patch_values()},
                          embedding_.dtype(), region),
               images.image_ids, region);
}

VitInput Vit::input(const Tensor& patches, std::span<const std::uint64_t> image_ids,
                    Region& region) const {
  const std::int64_t n = config_.patches();
  const std::int64_t count = patches.rows() / n;
  VitInput input;
  const auto layout = make_layout(equal_offsets(count, n), image_ids, region);
  input.patches = {patches, layout};
  input.tokens = config_.special_tokens() == 0
                     ? layout
                     : make_layout(equal_offsets(count, config_.tokens()), image_ids, region);
  input.no_tokens = Tensor(region, DType::i32, Shape{input.tokens->tokens});
  input.no_tokens.upload(std::vector<std::int32_t>(static_cast<std::size_t>(input.tokens->tokens)));
  if (config_.special_tokens() > 0) {
    input.first = rows_at(0, count, config_.tokens(), region);
  }
  if (config_.distillation_classifier) {
    input.second = rows_at(1, count, config_.tokens(), region);
  }
  return input;
}

// z'ₗ = MSA(LN(zₗ₋₁)) + zₗ₋₁;  zₗ = MLP(LN(z'ₗ)) + z'ₗ;  y = LN(z_L)          eq. 2 to 4
Ragged Vit::states(const VitInput& input, Context& c) const {
  return layers_(embedding_(input, c), Mask::none, c);  // [S·(k+n), d_model]
}

Tensor Vit::image_vectors(const VitInput& input, const Ragged& states, Context& c) const {
  return config_.image_vector == ImageVector::class_token
             ? gather_rows(states.values, input.first, c)
             : segment_mean(states, c);  // [S, d_model]
}

OutputLayer Vit::classifier() const {
  check(classifier_ != nullptr, "the model has no classification head");
  return {classifier_->weight(), classifier_->bias()};
}

Tensor Vit::logits(const VitInput& input, const Ragged& states, Context& c) const {
  const OutputLayer head = classifier();
  Tensor y = linear(image_vectors(input, states, c), head.weight, head.bias, {}, c);
  if (!distillation_classifier_) {
    return y;  // [S, labels]
  }
  const Tensor other =
      (*distillation_classifier_)(gather_rows(states.values, input.second, c), c);  // [S, labels]
  return yona::add(y, other, c, 0.5F, 0.5F);
}

}  // namespace yona
