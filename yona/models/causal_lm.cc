#include "yona/models/causal_lm.h"

#include <cmath>
#include <string>

namespace yona {

namespace {

SequenceShape shape_of(const CausalLmConfig& config) {
  return {.source_vocabulary = 0,
          .target_vocabulary = config.vocabulary,
          .outputs = config.vocabulary,
          .max_positions = config.max_positions,
          .decoder_layers = config.layers,
          .start_id = static_cast<std::int32_t>(config.start_id),
          .plain_projection = true,
          .uploads_in_steps = false};
}

std::unique_ptr<RotaryPositions> make_rotary(const CausalLmConfig& config) {
  return config.positions == LmPositions::rotary
             ? std::make_unique<RotaryPositions>(config.rotary_options())
             : nullptr;
}

}  // namespace

CausalLmLayer::CausalLmLayer(const BlockOptions& options)
    : self_attention_(options), feed_forward_(options) {
  add(self_attention_);
  add(feed_forward_);
}

// x ← x + MaskedMultiHead(Norm(x));  x ← x + FFN(Norm(x))
Residual CausalLmLayer::operator()(Residual x, const Sight& sight, Context& c) const {
  x = self_attention_(std::move(x), sight, c);  // [T, d_model]
  return feed_forward_(std::move(x), c);        // [T, d_model]
}

std::vector<ReversibleBlock> CausalLmLayer::blocks(const Sight& sight) const {
  return {[this, sight](const Ragged& x, Context& c) { return self_attention_(x, sight, c); },
          [this](const Ragged& x, Context& c) { return feed_forward_(x, c); }};
}

CausalLm::CausalLm(const CausalLmConfig& config)
    : config_((check_config(config), config)),
      shape_(shape_of(config)),
      table_(config.vocabulary, config.d_model, Padding::ordinary),
      positions_(
          config.positions == LmPositions::learned ? PositionKind::learned : PositionKind::none,
          config.max_positions, config.d_model, 0.0),
      rotary_(make_rotary(config)),
      embedding_(table_, positions_, {.dropout = config.dropout, .scaled = false}),
      layers_(config.layers, config.block(rotary_.get())),
      projection_(config.tied ? nullptr
                              : std::make_unique<TokenTable>(config.vocabulary, config.d_model,
                                                             Padding::ordinary)) {
  add("embedding", table_);
  add("positions", positions_);
  if (rotary_) {
    add("rotary", *rotary_);
  }
  add("input", embedding_);
  add(layers_);
  if (projection_) {
    add("projection", *projection_);
  }
  set_initial_values();
}

// Radford et al. 2019, §2.3, and their code: N(0, 0.02), and "we scale the weights of residual
// layers at initialization by a factor of 1/√N where N is the number of residual layers", two in
// each of ours.
void CausalLm::set_initial_values() {
  constexpr double kDeviation = 0.02;
  const double residual = kDeviation / std::sqrt(2.0 * static_cast<double>(config_.layers));
  visit([&](const std::string& name, Parameter& parameter) {
    if (parameter.shape.rank() == 2) {
      const bool is_residual = name.ends_with("self_attention.output.weight") ||
                               name.ends_with("feed_forward.outer.weight");
      parameter.init = Init::normal;
      parameter.deviation = is_residual ? residual : kDeviation;
    }
  });
}

Ragged CausalLm::encode(const Tokens& /*source*/, Context& /*c*/) const { return {}; }

Ragged CausalLm::decode(const Tokens& tokens, const Ragged& /*memory*/, Context& c) const {
  Residual x = embedding_(tokens, c);             // [T, d_model]
  return layers_(std::move(x), Mask::causal, c);  // [T, d_model]
}

OutputLayer CausalLm::output_layer() const {
  return {projection_ ? projection_->projection() : table_.projection(), {}};
}

}  // namespace yona
