#include "yona/inspect/explain_lm.h"

#include <span>

#include "yona/base/enum_names.h"
#include "yona/base/error.h"
#include "yona/base/preemption.h"
#include "yona/decode/stepper.h"

namespace yona {

namespace {

ExplainedModel numbers_of(const CausalLmConfig& config) {
  const BlockOptions block = config.block(nullptr);
  return {.decoder_layers = config.layers,
          .d_model = config.d_model,
          .vocabulary = config.vocabulary,
          .heads = block.heads,
          .attention = block.attention.kind,
          .feed_forward = block.feed_forward,
          .norm = block.norm.position,
          .norm_kind = block.norm.kind,
          .tied = config.tied,
          .positions = std::string(enum_name(config.positions))};
}

// What enters the first layer: the embedding, and the learned position where there is one.
OpenInput open_input(const CausalLmConfig& config, const Parameters& parameters,
                     const Tokens& tokens, Context& c) {
  const bool learned = config.positions == LmPositions::learned;
  TokenTable table(config.vocabulary, config.d_model, Padding::ordinary);
  bind_weights(table, parameters, "embedding.", c.region);
  const Positions nowhere(PositionKind::none, 0, config.d_model, 0.0);
  Positions positions(learned ? PositionKind::learned : PositionKind::none, config.max_positions,
                      config.d_model, 0.0);
  bind_weights(positions, parameters, "positions.", c.region);
  return {InputEmbedding(table, nowhere, {.scaled = false})(tokens, c),
          InputEmbedding(table, positions, {.scaled = false})(tokens, c)};
}

void walk_through(const CausalLm& model, const Parameters& parameters, Region& region,
                  const TokenName& name_of_token, Explanation& into) {
  const CausalLmConfig& config = model.config();
  std::unique_ptr<RotaryPositions> rotary;
  if (config.positions == LmPositions::rotary) {
    rotary = std::make_unique<RotaryPositions>(config.rotary_options());
    bind_weights(*rotary, parameters, "rotary.", region);
  }
  LayerWalk walk(config.block(rotary.get()), parameters, region, into);
  Context& c = walk.context();
  const Tokens tokens = tokens_of(std::span(&into.decoder_ids, 1), region);
  const OpenInput input = open_input(config, parameters, tokens, c);
  walk.show_input(input);
  Ragged x = input.sum;  // [T, d_model]
  for (std::int64_t n = 0; n < config.layers; ++n) {
    preemption_point();
    const std::string path = "layers." + std::to_string(n) + ".";
    if (n == into.layer) {
      x = walk.self_attention(path, x, Mask::causal, LayerWalk::Show::yes);
      x = walk.feed_forward(path, x);
      continue;
    }
    CausalLmLayer layer(walk.block());
    bind_weights(layer, parameters, path, region);
    x = layer(x, Mask::causal, c).sum(c);
  }
  const Ragged states = walk.last_norm("", x);
  const Tensor last = states.values.row_range(states.values.rows() - 1, 1);
  walk.show_next(x, states, model.logits(last, c), name_of_token);
  if (rotary) {
    const std::vector<double> frequencies = rotary_frequencies(config.rotary_options());
    for (std::size_t i = 0; i < into.turns.size(); ++i) {
      into.turns[i].angle = static_cast<double>(into.query) * frequencies[i];
    }
  }
}

}  // namespace

Explanation explain(const CausalLm& model, const Parameters& parameters, Backend& backend,
                    const ExplainedPrompt& prompt, const TokenName& name_of_token) {
  const CausalLmConfig& config = model.config();
  const AttentionKind kind = config.block(nullptr).attention.kind;
  check<NotImplemented>(is_exact(kind) || kind == AttentionKind::window,
                        "explain: the model's attention is {}; only exact attention and windows "
                        "can be explained",
                        enum_name(kind));
  check<NotImplemented>(!config.reversible, "explain: the model has reversible layers");
  const auto tokens = static_cast<std::int64_t>(prompt.ids.size());
  check(tokens > 0, "explain: the prompt is empty; give at least one token");
  check(tokens <= config.max_positions, "explain: the prompt has {} tokens; the model takes {}",
        tokens, config.max_positions);
  check_there("layer", prompt.layer, config.layers);
  check_there("head", prompt.head, config.heads);
  check_there("token", prompt.query, tokens);

  Explanation explanation;
  explanation.model = numbers_of(config);
  explanation.part = AttentionPart::decoder;
  explanation.layer = prompt.layer;
  explanation.head = prompt.head;
  explanation.query = prompt.query;
  explanation.decoder_ids = prompt.ids;
  for (const std::int32_t id : prompt.ids) {
    explanation.decoder_tokens.push_back(name_of_token(id));
  }
  Region region(backend);
  walk_through(model, parameters, region, name_of_token, explanation);
  return explanation;
}

}  // namespace yona
