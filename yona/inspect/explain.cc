#include "yona/inspect/explain.h"

#include "yona/base/enum_names.h"
#include "yona/base/error.h"
#include "yona/base/preemption.h"
#include "yona/decode/stepper.h"
#include "yona/inspect/layer_walk.h"

namespace yona {

namespace {

// Walks through the model and fills the explanation where it passes the chosen layer.
class Walk {
 public:
  Walk(const TranslationModel& model, Region& region, Explanation& into)
      : model_(model),
        config_(model.transformer("explain").config()),
        parameters_(model.parameters()),
        walk_(config_.block(), parameters_, region, into),
        c_(walk_.context()),
        into_(into) {}

  void run() {
    const Ragged memory =
        walk_.last_norm("encoder.", encode(tokens_of(std::span(&into_.source_ids, 1), c_.region)));
    const Ragged x = decode(tokens_of(std::span(&into_.decoder_ids, 1), c_.region), memory);
    const Ragged states = walk_.last_norm("decoder.", x);
    const Tensor last = states.values.row_range(states.values.rows() - 1, 1);
    const Vocabulary& vocabulary = model_.subwords().target.vocabulary();
    walk_.show_next(x, states, model_.model().logits(last, c_),
                    [&](std::int32_t id) { return vocabulary.piece(id); });
  }

 private:
  using Show = LayerWalk::Show;

  bool chosen(AttentionPart part, std::int64_t layer) const {
    return into_.part == part && into_.layer == layer;
  }
  Show show(AttentionPart part) const { return into_.part == part ? Show::yes : Show::no; }

  // The stack's relative positions, where it has them.
  Sight sight(Mask mask, const std::string& stack) {
    if (config_.positions != PositionKind::relative) {
      return mask;
    }
    RelativePositions positions({.count = config_.departures.relative_buckets,
                                 .reach = config_.departures.relative_reach,
                                 .both_ways = mask == Mask::none},
                                config_.heads);
    bind_weights(positions, parameters_, stack + "relative_positions.", c_.region);
    return {mask, positions(c_)};
  }

  Ragged input(Stack stack, const Tokens& tokens) {
    const OpenInput open = open_input(stack, config_, parameters_, tokens, c_);
    if ((into_.part == AttentionPart::encoder) == (stack == Stack::encoder)) {
      walk_.show_input(open);
    }
    return open.sum;
  }

  Ragged encode(const Tokens& tokens) {
    Ragged x = input(Stack::encoder, tokens);
    const Sight all = sight(Mask::none, "encoder.");
    for (std::int64_t n = 0; n < config_.encoder_layers; ++n) {
      preemption_point();
      const std::string path = "encoder.layers." + std::to_string(n) + ".";
      if (chosen(AttentionPart::encoder, n)) {
        x = walk_.feed_forward(path, walk_.self_attention(path, x, all, Show::yes));
        continue;
      }
      EncoderLayer layer(walk_.block());
      bind_weights(layer, parameters_, path, c_.region);
      x = layer(x, all, c_).sum(c_);
    }
    return x;
  }

  Ragged decode(const Tokens& tokens, const Ragged& memory) {
    Ragged x = input(Stack::decoder, tokens);
    const Sight before = sight(Mask::causal, "decoder.");
    for (std::int64_t n = 0; n < config_.decoder_layers; ++n) {
      preemption_point();
      const std::string path = "decoder.layers." + std::to_string(n) + ".";
      if (chosen(AttentionPart::decoder, n) || chosen(AttentionPart::cross, n)) {
        x = walk_.self_attention(path, x, before, show(AttentionPart::decoder));
        x = walk_.cross_attention(path, x, memory, show(AttentionPart::cross));
        x = walk_.feed_forward(path, x);
        continue;
      }
      DecoderLayer layer(walk_.block());
      bind_weights(layer, parameters_, path, c_.region);
      x = layer(x, memory, before, c_).sum(c_);
    }
    return x;
  }

  const TranslationModel& model_;
  const TransformerConfig& config_;
  const Parameters& parameters_;
  LayerWalk walk_;
  Context& c_;
  Explanation& into_;
};

ExplainedModel numbers_of(const TransformerConfig& config) {
  const BlockOptions block = config.block();
  return {.encoder_layers = config.encoder_layers,
          .decoder_layers = config.decoder_layers,
          .d_model = config.d_model,
          .vocabulary = config.target_vocabulary,
          .heads = block.heads,
          .attention = config.attention,
          .feed_forward = block.feed_forward,
          .norm = config.norm,
          .norm_kind = block.norm.kind,
          .scaled_embedding = config.departures.scaled_embedding,
          .tied = config.tying == Tying::all || config.tying == Tying::target,
          .positions = std::string(enum_name(config.positions))};
}

// Without the token that every output of the model begins with: framed_pair() puts it there.
std::vector<std::int32_t> prefix_ids(const ExplainRequest& request, const TranslationModel& model) {
  const Vocabulary& vocabulary = model.subwords().target.vocabulary();
  std::vector<std::int32_t> ids;
  for (const std::string& piece : request.target_prefix) {
    const std::optional<std::int32_t> id = vocabulary.find(piece);
    check(id.has_value(), "explain: the model has no piece \"{}\"", piece);
    ids.push_back(*id);
  }
  if (!ids.empty() && ids.front() == model.frame().first) {
    ids.erase(ids.begin());
  }
  return ids;
}

}  // namespace

Explanation explain(const TranslationModel& model, Backend& backend,
                    const ExplainRequest& request) {
  const TransformerConfig& config = model.transformer("explain").config();
  check<NotImplemented>(config.positions != PositionKind::rotary,
                        "explain: the model has rotary positions");
  check<NotImplemented>(!config.reversible, "explain: the model has reversible layers");
  check<NotImplemented>(
      config.attention == AttentionKind::scaled || config.attention == AttentionKind::unscaled,
      "explain: the model's attention is {}; only products of queries and "
      "keys can be explained",
      enum_name(config.attention));
  const bool encoder = request.part == AttentionPart::encoder;
  check_there("layer", request.layer, encoder ? config.encoder_layers : config.decoder_layers);
  check_there("head", request.head, config.heads);
  const Vocabulary& target = model.subwords().target.vocabulary();
  std::vector<std::int32_t> source;
  model.subwords().source.encode(request.source, source);
  check(!source.empty(), "explain: the source is empty; give at least one word");
  FramedPair pair = framed_pair(model, std::move(source), prefix_ids(request, model));
  check_there("token", request.query,
              static_cast<std::int64_t>(encoder ? pair.source.size() : pair.read.size()));

  Explanation explanation;
  explanation.model = numbers_of(config);
  explanation.part = request.part;
  explanation.layer = request.layer;
  explanation.head = request.head;
  explanation.query = request.query;
  explanation.source_tokens = pieces_of(pair.source, model.subwords().source.vocabulary());
  explanation.decoder_tokens = pieces_of(pair.read, target);
  explanation.source_ids = std::move(pair.source);
  explanation.decoder_ids = std::move(pair.read);
  Region region(backend);
  Walk(model, region, explanation).run();
  return explanation;
}

}  // namespace yona
