#include "yona/inspect/layer_walk.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "yona/base/error.h"

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

Row whole(const Tensor& x, std::int64_t row, std::int64_t begin, std::int64_t width) {
  return x.columns(begin, width).row_range(row, 1).to_vector<float>();
}

}  // namespace

void LayerWalk::show_input(const OpenInput& open) {
  into_.embeddings = shown_rows(open.embeddings.values);
  into_.sums = shown_rows(open.sum.values);
  into_.positions = into_.sums;
  for (std::size_t token = 0; token < into_.sums.size(); ++token) {
    std::transform(into_.sums[token].begin(), into_.sums[token].end(),
                   into_.embeddings[token].begin(), into_.positions[token].begin(), std::minus<>());
  }
}

// A sub-layer with its residual and norm.
template <class SubLayer>
Ragged LayerWalk::with_norm(const std::string& path, const Ragged& x, const SubLayer& sub_layer) {
  ResidualNormLayer norm(block_.d_model, block_.norm);
  bind_weights(norm, parameters_, path, c_.region);
  const ResidualBranch branch = norm.branch(x, c_);
  return norm.merge(branch, sub_layer(branch.input), c_).sum(c_);
}

Ragged LayerWalk::self_attention(const std::string& layer, const Ragged& x, const Sight& sight,
                                 Show show) {
  Ragged y = with_norm(layer + "self_attention_norm.", x, [&](const Ragged& z) {
    const OpenAttention open =
        open_attention(layer + "self_attention.", block_, parameters_, z, z, sight, c_);
    if (show == Show::yes) {
      show_attention(x, z, open, sight);
    }
    return open.output;
  });
  if (show == Show::yes) {
    into_.after_attention = shown(y.values, into_.query);
  }
  return y;
}

Ragged LayerWalk::cross_attention(const std::string& layer, const Ragged& x, const Ragged& memory,
                                  Show show) {
  Ragged y = with_norm(layer + "cross_attention_norm.", x, [&](const Ragged& z) {
    const OpenAttention open =
        open_attention(layer + "cross_attention.", block_, parameters_, z, memory, Mask::none, c_);
    if (show == Show::yes) {
      show_attention(x, z, open, Mask::none);
    }
    return open.output;
  });
  if (show == Show::yes) {
    into_.after_attention = shown(y.values, into_.query);
  }
  return y;
}

Ragged LayerWalk::feed_forward(const std::string& layer, const Ragged& x) {
  Ragged y = with_norm(layer + "feed_forward_norm.", x, [&](const Ragged& z) {
    const OpenFeedForward open =
        open_feed_forward(layer + "feed_forward.", block_.feed_forward, parameters_, z, c_);
    into_.feed_forward_input = shown(z.values, into_.query);
    into_.inner = shown(open.inner, into_.query);
    if (open.gate) {
      into_.gate = shown(open.gate, into_.query);
    }
    into_.activated = shown(open.activated, into_.query);
    const Row all = whole(open.activated, into_.query, 0, open.activated.cols());
    into_.zeros = std::count(all.begin(), all.end(), 0.0F);
    into_.feed_forward_output = shown(open.output.values, into_.query);
    return open.output;
  });
  into_.after_feed_forward = shown(y.values, into_.query);
  return y;
}

Ragged LayerWalk::last_norm(const std::string& stack, const Ragged& x) {
  if (block_.norm.position == NormPosition::post) {
    return x;
  }
  LayerNorm norm(block_.d_model, block_.norm.kind, block_.norm.epsilon);
  bind_weights(norm, parameters_, stack + "norm.", c_.region);
  return norm(x, c_);
}

std::int64_t LayerWalk::kv_head() const {
  const HeadShape& shape = block_.heads;
  return shape.kv_heads > 0 ? into_.head / (shape.heads / shape.kv_heads) : into_.head;
}

bool LayerWalk::sees(const Sight& sight, std::int64_t key) const {
  const bool has_window = block_.attention.kind == AttentionKind::window;
  return sight.mask == Mask::none ||
         (key <= into_.query && (!has_window || key > into_.query - block_.attention.sizes.window));
}

void LayerWalk::show_attention(const Ragged& x, const Ragged& input, const OpenAttention& open,
                               const Sight& sight) {
  const HeadShape& shape = block_.heads;
  into_.inputs = shown_rows(x.values);
  into_.attention_input = shown(input.values, into_.query);
  into_.q = shown(open.Q, into_.query, into_.head * shape.d_k, shape.d_k);
  into_.k = shown_rows(open.K, kv_head() * shape.d_k, shape.d_k);
  into_.v = shown_rows(open.V, kv_head() * shape.d_v, shape.d_v);
  into_.head_output = shown(open.heads.values, into_.query, into_.head * shape.d_v, shape.d_v);
  into_.attention_output = shown(open.output.values, into_.query);
  if (open.Q_unrotated) {
    show_turns(open);
  }
  show_scores(open, sight);
  show_weights(open);
}

// Channel i is turned together with channel i + d_k/2 (tensor/ops/rotary.h).
void LayerWalk::show_turns(const OpenAttention& open) {
  const std::int64_t d_k = block_.heads.d_k;
  const Row before = whole(open.Q_unrotated, into_.query, into_.head * d_k, d_k);
  const Row after = whole(open.Q, into_.query, into_.head * d_k, d_k);
  into_.unturned_q = shown(open.Q_unrotated, into_.query, into_.head * d_k, d_k);
  into_.unturned_k = shown_rows(open.K_unrotated, kv_head() * d_k, d_k);
  const auto half = static_cast<std::size_t>(d_k / 2);
  for (std::size_t i = 0; i < std::min(half, static_cast<std::size_t>(kShownChannels / 2)); ++i) {
    into_.turns.push_back(
        {.before = {before[i], before[i + half]}, .after = {after[i], after[i + half]}});
  }
}

void LayerWalk::show_scores(const OpenAttention& open, const Sight& sight) {
  const std::int64_t d_k = block_.heads.d_k;
  const double scale = block_.attention.kind == AttentionKind::unscaled
                           ? 1.0
                           : 1.0 / std::sqrt(static_cast<double>(d_k));
  Row bias;
  if (sight.bias) {
    bias = sight.bias.row_range(into_.head, 1).to_vector<float>();
  }
  const Row q = whole(open.Q, into_.query, into_.head * d_k, d_k);
  for (std::int64_t key = 0; key < open.K.rows(); ++key) {
    const Row k = whole(open.K, key, kv_head() * d_k, d_k);
    double score = scale * std::inner_product(q.begin(), q.end(), k.begin(), 0.0);
    if (!bias.empty()) {
      const auto reach = static_cast<std::int64_t>(bias.size()) / 2;
      score += bias[static_cast<std::size_t>(std::clamp(key - into_.query, -reach, reach) + reach)];
    }
    into_.scores.push_back(score);
    into_.seen.push_back(sees(sight, key));
  }
}

void LayerWalk::show_weights(const OpenAttention& open) {
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
  const std::int64_t d_v = block_.heads.d_v;
  for (std::int64_t head = 0; head < block_.heads.heads; ++head) {
    const Row output = whole(open.heads.values, into_.query, head * d_v, d_v);
    const double squares = std::inner_product(output.begin(), output.end(), output.begin(), 0.0);
    into_.heads.push_back({row_of(head, into_.query), std::sqrt(squares)});
  }
}

void LayerWalk::show_next(const Ragged& last_layer, const Ragged& states, const Tensor& logits,
                          const TokenName& name_of_token) {
  const std::int64_t last = states.values.rows() - 1;
  into_.last_layer = shown(last_layer.values, last);
  into_.last_state = shown(states.values, last);
  const Row values = logits.to_vector<float>();
  const double most = *std::max_element(values.begin(), values.end());
  const double sum = std::accumulate(
      values.begin(), values.end(), 0.0,
      [&](double total, float logit) { return total + std::exp(double{logit} - most); });
  into_.log_sum = most + std::log(sum);
  std::vector<std::int32_t> ids(values.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto logit = [&](std::int32_t id) { return values[static_cast<std::size_t>(id)]; };
  const auto count = std::min<std::int64_t>(kCandidates, static_cast<std::int64_t>(ids.size()));
  std::partial_sort(ids.begin(), ids.begin() + count, ids.end(),
                    [&](std::int32_t a, std::int32_t b) {
                      return std::pair(-logit(a), a) < std::pair(-logit(b), b);
                    });
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int32_t id = ids[static_cast<std::size_t>(i)];
    into_.next.push_back(
        {name_of_token(id), id, logit(id), std::exp(double{logit(id)} - into_.log_sum)});
  }
}

void check_there(std::string_view what, std::int64_t index, std::int64_t count) {
  check(index >= 0 && index < count, "explain: there is no {} {}; there are {}, counted from 0",
        what, index, count);
}

}  // namespace yona
