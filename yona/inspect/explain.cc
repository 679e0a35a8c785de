#include "yona/inspect/explain.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "yona/base/enum_names.h"
#include "yona/base/error.h"
#include "yona/base/preemption.h"
#include "yona/decode/stepper.h"
#include "yona/inspect/open_layers.h"
#include "yona/tensor/ops/softmax.h"

namespace yona {

namespace {

using Row = Explanation::Row;

constexpr std::int64_t kCandidates = 10;

// The first channels of columns from `begin` of a row.
Row shown(const Tensor& x, std::int64_t row, std::int64_t begin, std::int64_t width) {
  return x.columns(begin, std::min(width, kShownChannels)).row_range(row, 1).to_vector<float>();
}
Row shown(const Tensor& x, std::int64_t row) { return shown(x, row, 0, x.cols()); }

std::vector<Row> shown_rows(const Tensor& x, std::int64_t begin, std::int64_t width) {
  std::vector<Row> rows;
  for (std::int64_t row = 0; row < x.rows(); ++row) {
    rows.push_back(shown(x, row, begin, width));
  }
  return rows;
}
std::vector<Row> shown_rows(const Tensor& x) { return shown_rows(x, 0, x.cols()); }

// Walks through the model and fills the explanation where it passes the chosen layer.
class Walk {
 public:
  Walk(const TranslationModel& model, Region& region, Explanation& into)
      : model_(model),
        config_(model.transformer("explain").config()),
        parameters_(model.parameters()),
        c_{.region = region},
        into_(into) {}

  void run() {
    const Ragged memory = encode(tokens_of(std::span(&into_.source_ids, 1), c_.region));
    const Ragged states = decode(tokens_of(std::span(&into_.decoder_ids, 1), c_.region), memory);
    next_tokens(states.values);
  }

 private:
  bool chosen(AttentionPart part, std::int64_t layer) const {
    return into_.part == part && into_.layer == layer;
  }

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
      into_.embeddings = shown_rows(open.embeddings.values);
      into_.sums = shown_rows(open.sum.values);
      into_.positions = into_.sums;
      for (std::size_t token = 0; token < into_.sums.size(); ++token) {
        std::transform(into_.sums[token].begin(), into_.sums[token].end(),
                       into_.embeddings[token].begin(), into_.positions[token].begin(),
                       std::minus<>());
      }
    }
    return open.sum;
  }

  // The last norm of a stack (pre-norm models).
  Ragged last_norm(const std::string& stack, const Ragged& x) {
    if (config_.norm == NormPosition::post) {
      return x;
    }
    LayerNorm norm(config_.d_model, config_.departures.norm_kind,
                   static_cast<float>(config_.departures.norm_epsilon));
    bind_weights(norm, parameters_, stack + "norm.", c_.region);
    return norm(x, c_);
  }

  Ragged encode(const Tokens& tokens) {
    Ragged x = input(Stack::encoder, tokens);
    const Sight all = sight(Mask::none, "encoder.");
    for (std::int64_t n = 0; n < config_.encoder_layers; ++n) {
      preemption_point();
      const std::string path = "encoder.layers." + std::to_string(n) + ".";
      if (chosen(AttentionPart::encoder, n)) {
        x = feed_forward(path, self_attention(path, x, all));
        continue;
      }
      EncoderLayer layer(config_.block());
      bind_weights(layer, parameters_, path, c_.region);
      x = layer(x, all, c_).sum(c_);
    }
    return last_norm("encoder.", x);
  }

  Ragged decode(const Tokens& tokens, const Ragged& memory) {
    Ragged x = input(Stack::decoder, tokens);
    const Sight before = sight(Mask::causal, "decoder.");
    for (std::int64_t n = 0; n < config_.decoder_layers; ++n) {
      preemption_point();
      const std::string path = "decoder.layers." + std::to_string(n) + ".";
      if (chosen(AttentionPart::decoder, n) || chosen(AttentionPart::cross, n)) {
        x = feed_forward(path, cross_attention(path, self_attention(path, x, before), memory));
        continue;
      }
      DecoderLayer layer(config_.block());
      bind_weights(layer, parameters_, path, c_.region);
      x = layer(x, memory, before, c_).sum(c_);
    }
    return last_norm("decoder.", x);
  }

  // A sub-layer with its residual and norm.
  template <class SubLayer>
  Ragged with_norm(const std::string& path, const Ragged& x, const SubLayer& sub_layer) {
    ResidualNormLayer norm(config_.d_model, config_.block().norm);
    bind_weights(norm, parameters_, path, c_.region);
    const ResidualBranch branch = norm.branch(x, c_);
    return norm.merge(branch, sub_layer(branch.input), c_).sum(c_);
  }

  Ragged self_attention(const std::string& path, const Ragged& x, const Sight& sight) {
    const bool show = into_.part != AttentionPart::cross;
    Ragged y = with_norm(path + "self_attention_norm.", x, [&](const Ragged& z) {
      const OpenAttention open =
          open_attention(path + "self_attention.", config_, parameters_, z, z, sight, c_);
      if (show) {
        show_attention(x, open, sight);
      }
      return open.output;
    });
    if (show) {
      into_.after_attention = shown(y.values, into_.query);
    }
    return y;
  }

  Ragged cross_attention(const std::string& path, const Ragged& x, const Ragged& memory) {
    const bool show = into_.part == AttentionPart::cross;
    Ragged y = with_norm(path + "cross_attention_norm.", x, [&](const Ragged& z) {
      const OpenAttention open = open_attention(path + "cross_attention.", config_, parameters_, z,
                                                memory, Mask::none, c_);
      if (show) {
        show_attention(x, open, Mask::none);
      }
      return open.output;
    });
    if (show) {
      into_.after_attention = shown(y.values, into_.query);
    }
    return y;
  }

  Ragged feed_forward(const std::string& path, const Ragged& x) {
    Ragged y = with_norm(path + "feed_forward_norm.", x, [&](const Ragged& z) {
      const OpenFeedForward open =
          open_feed_forward(path + "feed_forward.", config_, parameters_, z, c_);
      into_.inner = shown(open.inner, into_.query);
      into_.activated = shown(open.activated, into_.query);
      const Row all = open.activated.row_range(into_.query, 1).to_vector<float>();
      into_.zeros = std::count(all.begin(), all.end(), 0.0F);
      into_.feed_forward_output = shown(open.output.values, into_.query);
      return open.output;
    });
    into_.after_feed_forward = shown(y.values, into_.query);
    return y;
  }

  void show_attention(const Ragged& x, const OpenAttention& open, const Sight& sight) {
    const HeadShape shape = config_.head_shape();
    into_.inputs = shown_rows(x.values);
    into_.q = shown(open.Q, into_.query, into_.head * shape.d_k, shape.d_k);
    into_.k = shown_rows(open.K, into_.head * shape.d_k, shape.d_k);
    into_.v = shown_rows(open.V, into_.head * shape.d_v, shape.d_v);
    into_.head_output = shown(open.heads.values, into_.query, into_.head * shape.d_v, shape.d_v);
    into_.attention_output = shown(open.output.values, into_.query);
    show_scores(open, sight);
    show_weights(open);
  }

  void show_scores(const OpenAttention& open, const Sight& sight) {
    const std::int64_t d_k = config_.head_shape().d_k;
    const auto of_head = [&](const Tensor& x, std::int64_t row) {
      return x.columns(into_.head * d_k, d_k).row_range(row, 1).to_vector<float>();
    };
    const double scale = config_.attention == AttentionKind::scaled
                             ? 1.0 / std::sqrt(static_cast<double>(d_k))
                             : 1.0;
    Row bias;
    if (sight.bias) {
      bias = sight.bias.row_range(into_.head, 1).to_vector<float>();
    }
    const Row q = of_head(open.Q, into_.query);
    for (std::int64_t key = 0; key < open.K.rows(); ++key) {
      const Row k = of_head(open.K, key);
      double score = scale * std::inner_product(q.begin(), q.end(), k.begin(), 0.0);
      if (!bias.empty()) {
        const auto reach = static_cast<std::int64_t>(bias.size()) / 2;
        score +=
            bias[static_cast<std::size_t>(std::clamp(key - into_.query, -reach, reach) + reach)];
      }
      into_.scores.push_back(score);
      into_.seen.push_back(sight.mask == Mask::none || key <= into_.query);
    }
  }

  void show_weights(const OpenAttention& open) {
    const std::int64_t queries = open.Q.rows();
    const std::int64_t keys = open.K.rows();
    const Row all = open.weights.to_vector<float>();  // [h, queries, keys]
    const auto row_of = [&](std::int64_t head, std::int64_t query) {
      const auto begin = all.begin() + (head * queries + query) * keys;
      return Row(begin, begin + keys);
    };
    for (std::int64_t query = 0; query < queries; ++query) {
      into_.weights.push_back(row_of(into_.head, query));
    }
    const std::int64_t d_v = config_.head_shape().d_v;
    for (std::int64_t head = 0; head < config_.heads; ++head) {
      const Row output =
          open.heads.values.columns(head * d_v, d_v).row_range(into_.query, 1).to_vector<float>();
      const double squares = std::inner_product(output.begin(), output.end(), output.begin(), 0.0);
      into_.heads.push_back({row_of(head, into_.query), std::sqrt(squares)});
    }
  }

  void next_tokens(const Tensor& states) {
    const Tensor last = states.row_range(states.rows() - 1, 1);
    const Tensor logits = model_.model().logits(last, c_);
    const Row probabilities = softmax(logits, c_).to_vector<float>();
    std::vector<std::int32_t> ids(probabilities.size());
    std::iota(ids.begin(), ids.end(), 0);
    const auto count = std::min<std::int64_t>(kCandidates, static_cast<std::int64_t>(ids.size()));
    const auto probability = [&](std::int32_t id) {
      return probabilities[static_cast<std::size_t>(id)];
    };
    std::partial_sort(ids.begin(), ids.begin() + count, ids.end(),
                      [&](std::int32_t a, std::int32_t b) {
                        return std::pair(-probability(a), a) < std::pair(-probability(b), b);
                      });
    const Vocabulary& vocabulary = model_.subwords().target.vocabulary();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int32_t id = ids[static_cast<std::size_t>(i)];
      into_.next.push_back({vocabulary.piece(id), id, probability(id)});
    }
  }

  const TranslationModel& model_;
  const TransformerConfig& config_;
  const Parameters& parameters_;
  Context c_;
  Explanation& into_;
};

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

void check_there(std::string_view what, std::int64_t index, std::int64_t count) {
  check(index >= 0 && index < count, "explain: there is no {} {}; there are {}, counted from 0",
        what, index, count);
}

}  // namespace

Explanation explain(const TranslationModel& model, Backend& backend,
                    const ExplainRequest& request) {
  const TransformerConfig& config = model.transformer("explain").config();
  check<NotImplemented>(config.positions != PositionKind::rotary,
                        "explain: the model has rotary positions");
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
  explanation.config = config;
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
