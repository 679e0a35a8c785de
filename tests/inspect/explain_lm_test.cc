// The numbers of an explanation are recomputed here in double precision, step by step, from the
// weights: the toy models are narrow enough that every channel is shown.
#include "yona/inspect/explain_lm.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/inspect/prompt_attention.h"

#include "tests/harness/temp_dir.h"
#include "tests/harness/toy_lm.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Values = std::vector<double>;

const std::vector<std::int32_t> kPrompt{1, 7, 2, 7, 11, 4};

std::string name_of_token(std::int32_t id) { return "t" + std::to_string(id); }

Values doubles(const Explanation::Row& row) { return {row.begin(), row.end()}; }

void expect_near(const Values& expected, const Explanation::Row& row, const char* what) {
  ASSERT_EQ(row.size(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(row[i], expected[i], 2e-5) << what << " " << i;
  }
}

Values sum_of(Values a, const Explanation::Row& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] += b[i];
  }
  return a;
}

class Recomputed {
 public:
  Recomputed(const ToyLm& toy, const Explanation& e)
      : toy_(toy), config_(toy.model.config()), e_(e) {}

  void expect_all() const {
    expect_input();
    expect_query();
    expect_turns();
    expect_weights();
    expect_residual_and_feed_forward();
    expect_logits();
  }

 private:
  Values weight(const std::string& name) const {
    const Parameters::Entry* entry = toy_.parameters.find(name);
    if (entry == nullptr) {
      return {};
    }
    const std::vector<float> values = entry->value.to_vector<float>();
    return {values.begin(), values.end()};
  }

  // x Wᵀ + b, of some rows of W.
  Values linear(const std::string& path, const Values& x, std::size_t begin,
                std::size_t rows) const {
    const Values W = weight(path + ".weight");
    const Values b = weight(path + ".bias");
    Values y;
    for (std::size_t row = begin; row < begin + rows; ++row) {
      y.push_back(b.empty() ? 0.0 : b[row]);
      for (std::size_t i = 0; i < x.size(); ++i) {
        y.back() += W[row * x.size() + i] * x[i];
      }
    }
    return y;
  }

  Values normed(const std::string& path, Values x) const {
    const Values w = weight(path + ".weight");
    const Values b = weight(path + ".bias");
    const auto n = static_cast<double>(x.size());
    const double mean =
        config_.norm == NormKind::layer ? std::accumulate(x.begin(), x.end(), 0.0) / n : 0.0;
    double squares = 0;
    for (const double value : x) {
      squares += (value - mean) * (value - mean);
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = (x[i] - mean) / std::sqrt(squares / n + config_.norm_epsilon) * w[i] +
             (b.empty() ? 0.0 : b[i]);
    }
    return x;
  }

  double activated(double x) const {
    if (config_.activation == FeedForwardActivation::silu) {
      return x / (1 + std::exp(-x));
    }
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  }

  std::size_t query() const { return static_cast<std::size_t>(e_.query); }
  std::string layer() const { return "layers." + std::to_string(e_.layer) + "."; }

  void expect_input() const {
    const Values table = weight("embedding.weight");
    const Values places = weight("positions.weight");
    const auto width = static_cast<std::size_t>(config_.d_model);
    for (std::size_t token = 0; token < kPrompt.size(); ++token) {
      const auto* row = table.data() + static_cast<std::size_t>(kPrompt[token]) * width;
      Values x(row, row + width);
      expect_near(x, e_.embeddings[token], "embedding");
      for (std::size_t i = 0; i < width && !places.empty(); ++i) {
        x[i] += places[token * width + i];
      }
      expect_near(x, e_.sums[token], "sum");
    }
    if (e_.layer == 0) {
      EXPECT_EQ(e_.inputs, e_.sums);
    }
    expect_near(normed(layer() + "self_attention_norm", doubles(e_.inputs[query()])),
                e_.attention_input, "norm before attention");
  }

  void expect_query() const {
    const auto d_k = static_cast<std::size_t>(config_.head_shape().d_k);
    const auto head = static_cast<std::size_t>(e_.head);
    Values q =
        linear(layer() + "self_attention.query", doubles(e_.attention_input), head * d_k, d_k);
    if (config_.qk_norm) {
      q = normed(layer() + "self_attention.query_norm", q);
    }
    expect_near(q, e_.unturned_q.empty() ? e_.q : e_.unturned_q, "query");
  }

  // A pair is a point that is turned around zero by its angle.
  void expect_turns() const {
    if (config_.positions != LmPositions::rotary) {
      EXPECT_THAT(e_.turns, IsEmpty());
      EXPECT_THAT(e_.unturned_q, IsEmpty());
      return;
    }
    const std::size_t half = e_.q.size() / 2;
    ASSERT_EQ(e_.turns.size(), half);
    for (std::size_t i = 0; i < half; ++i) {
      const Explanation::Turn& turn = e_.turns[i];
      const double angle =
          static_cast<double>(e_.query) *
          std::pow(config_.rotary_base, -static_cast<double>(i) / static_cast<double>(half));
      EXPECT_NEAR(turn.angle, angle, 1e-9);
      const double x = turn.before[0], y = turn.before[1];
      EXPECT_NEAR(turn.after[0], x * std::cos(angle) - y * std::sin(angle), 2e-5);
      EXPECT_NEAR(turn.after[1], x * std::sin(angle) + y * std::cos(angle), 2e-5);
      for (std::size_t token = 0; token < kPrompt.size(); ++token) {
        const double own = angle / static_cast<double>(e_.query) * static_cast<double>(token);
        EXPECT_NEAR(e_.k[token][i],
                    e_.unturned_k[token][i] * std::cos(own) -
                        e_.unturned_k[token][i + half] * std::sin(own),
                    2e-5);
      }
      EXPECT_EQ(turn.before[1], e_.unturned_q[i + half]);
      EXPECT_EQ(turn.after[0], e_.q[i]);
    }
  }

  void expect_weights() const {
    const double root = std::sqrt(static_cast<double>(config_.head_shape().d_k));
    double sum = 0;
    for (std::size_t key = 0; key < kPrompt.size(); ++key) {
      const double score =
          std::inner_product(e_.q.begin(), e_.q.end(), e_.k[key].begin(), 0.0) / root;
      EXPECT_NEAR(e_.scores[key], score, 2e-5);
      const bool in_window =
          config_.attention_sizes.window == 0 ||
          static_cast<std::int64_t>(key) > e_.query - config_.attention_sizes.window;
      EXPECT_EQ(e_.seen[key], key <= query() && in_window);
      sum += e_.seen[key] ? std::exp(score) : 0.0;
    }
    Values output(e_.head_output.size(), 0.0);
    for (std::size_t key = 0; key < kPrompt.size(); ++key) {
      const double expected = e_.seen[key] ? std::exp(e_.scores[key]) / sum : 0.0;
      EXPECT_NEAR(e_.weights[query()][key], expected, 2e-5);
      for (std::size_t i = 0; i < output.size(); ++i) {
        output[i] += expected * e_.v[key][i];
      }
    }
    expect_near(output, e_.head_output, "head");
    for (const Explanation::Row& row : e_.weights) {
      EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1.0, 1e-5);
    }
  }

  void expect_residual_and_feed_forward() const {
    expect_near(sum_of(doubles(e_.inputs[query()]), e_.attention_output), e_.after_attention,
                "residual of attention");
    const Values x = normed(layer() + "feed_forward_norm", doubles(e_.after_attention));
    expect_near(x, e_.feed_forward_input, "norm before feed-forward");
    const auto width = static_cast<std::size_t>(config_.d_ff);
    const Values inner = linear(layer() + "feed_forward.inner", x, 0, width);
    expect_near(inner, e_.inner, "inner");
    Values hidden;
    std::transform(inner.begin(), inner.end(), std::back_inserter(hidden),
                   [&](double value) { return activated(value); });
    EXPECT_EQ(e_.gate.empty(), !config_.gated);
    if (config_.gated) {
      const Values gate = linear(layer() + "feed_forward.gate", x, 0, width);
      expect_near(gate, e_.gate, "gate");
      std::transform(hidden.begin(), hidden.end(), gate.begin(), hidden.begin(),
                     std::multiplies<>());
    }
    expect_near(hidden, e_.activated, "activated");
    expect_near(linear(layer() + "feed_forward.outer", hidden, 0,
                       static_cast<std::size_t>(config_.d_model)),
                e_.feed_forward_output, "feed-forward");
    expect_near(sum_of(doubles(e_.after_attention), e_.feed_forward_output), e_.after_feed_forward,
                "residual of feed-forward");
  }

  void expect_logits() const {
    expect_near(normed("norm", doubles(e_.last_layer)), e_.last_state, "last norm");
    const Values logits = linear(config_.tied ? "embedding" : "projection", doubles(e_.last_state),
                                 0, static_cast<std::size_t>(config_.vocabulary));
    double sum = 0;
    for (const double logit : logits) {
      sum += std::exp(logit);
    }
    EXPECT_NEAR(e_.log_sum, std::log(sum), 5e-5);
    ASSERT_THAT(e_.next, SizeIs(10));
    for (const Explanation::Candidate& candidate : e_.next) {
      const double logit = logits[static_cast<std::size_t>(candidate.id)];
      EXPECT_NEAR(candidate.logit, logit, 5e-5);
      EXPECT_NEAR(candidate.probability, std::exp(logit) / sum, 5e-5);
      EXPECT_EQ(candidate.token, name_of_token(candidate.id));
    }
    EXPECT_TRUE(std::is_sorted(e_.next.begin(), e_.next.end(), [](const auto& a, const auto& b) {
      return a.probability > b.probability;
    }));
  }

  const ToyLm& toy_;
  const CausalLmConfig& config_;
  const Explanation& e_;
};

Explanation explained(const ToyLm& toy, const ExplainedPrompt& prompt,
                      std::string_view backend = "cpu") {
  return explain(toy.model, toy.parameters, shared_backend(backend), prompt, name_of_token);
}

// The model's own forward pass: its logits, and the attention of every head.
void expect_models_numbers(ToyLm& toy, const Explanation& e) {
  const Values logits = toy.logits({kPrompt});
  const std::size_t last = (kPrompt.size() - 1) * static_cast<std::size_t>(13);
  for (const Explanation::Candidate& candidate : e.next) {
    EXPECT_NEAR(candidate.logit, logits[last + static_cast<std::size_t>(candidate.id)], 2e-5);
  }
  const std::vector<AttentionMap> maps =
      prompt_attention(toy.model, shared_backend("cpu"), kPrompt);
  const AttentionMap& map = maps.at(static_cast<std::size_t>(e.layer));
  for (std::int64_t token = 0; token < map.queries; ++token) {
    EXPECT_THAT(e.weights[static_cast<std::size_t>(token)],
                ::testing::Pointwise(::testing::FloatNear(1e-6F), map.row(e.head, token)));
  }
  for (std::int64_t head = 0; head < map.heads; ++head) {
    EXPECT_THAT(e.heads[static_cast<std::size_t>(head)].weights,
                ::testing::Pointwise(::testing::FloatNear(1e-6F), map.row(head, e.query)));
  }
}

std::vector<CausalLmConfig> shapes() {
  std::vector<CausalLmConfig> all{toy_gpt2(), toy_llama(), toy_llama(), toy_llama(), toy_gpt2()};
  all[2].qk_norm = true;
  all[3].attention_sizes.window = 3;
  all[3].tied = true;
  all[4].heads = 1;
  return all;
}

TEST(ExplainLm, HasTheNumbersThatTheWeightsGive) {
  for (const CausalLmConfig& config : shapes()) {
    ToyLm toy(config, "cpu");
    for (std::int64_t layer = 0; layer < 2; ++layer) {
      const Explanation e = explained(
          toy, {.ids = kPrompt, .layer = layer, .head = config.heads - 1, .query = 4 - layer});
      SCOPED_TRACE(e.model.positions + " " + std::to_string(layer));
      Recomputed(toy, e).expect_all();
      expect_models_numbers(toy, e);
    }
  }
}

TEST(ExplainLm, NamesTheTokensAndTheModel) {
  ToyLm toy(toy_llama(), "cpu");
  const Explanation e = explained(toy, {.ids = {3, 12}});
  EXPECT_THAT(e.decoder_tokens, ElementsAre("t3", "t12"));
  EXPECT_THAT(e.decoder_ids, ElementsAre(3, 12));
  EXPECT_THAT(e.source_tokens, IsEmpty());
  const Json model = explanation_json(e)["model"];
  EXPECT_EQ(model["encoder_layers"], 0);
  EXPECT_EQ(model["decoder_layers"], 2);
  EXPECT_EQ(model["heads"], 4);
  EXPECT_EQ(model["kv_heads"], 2);
  EXPECT_EQ(model["norm_kind"], "rms");
  EXPECT_EQ(model["norm"], "pre");
  EXPECT_EQ(model["positions"], "rotary");
  EXPECT_EQ(model["activation"], "silu");
  EXPECT_EQ(model["gated"], true);
  EXPECT_EQ(model["tied"], false);
}

TEST(ExplainLm, SaysWhatIsNotThere) {
  ToyLm toy(toy_gpt2(), "cpu");
  const auto message = [&](const ExplainedPrompt& prompt) {
    return message_of<InvalidArgument>([&] { explained(toy, prompt); });
  };
  EXPECT_EQ(message({}), "explain: the prompt is empty; give at least one token");
  EXPECT_EQ(message({.ids = std::vector<std::int32_t>(13, 1)}),
            "explain: the prompt has 13 tokens; the model takes 12");
  EXPECT_EQ(message({.ids = {1}, .layer = 2}),
            "explain: there is no layer 2; there are 2, counted from 0");
  EXPECT_EQ(message({.ids = {1}, .head = -1}),
            "explain: there is no head -1; there are 2, counted from 0");
  EXPECT_EQ(message({.ids = {1}, .query = 1}),
            "explain: there is no token 1; there are 1, counted from 0");
  CausalLmConfig blocks = toy_gpt2();
  blocks.attention = AttentionKind::blocks;
  ToyLm other(blocks, "cpu");
  EXPECT_EQ(message_of<NotImplemented>([&] { explained(other, {.ids = {1}}); }),
            "explain: the model's attention is blocks; only exact attention and windows can be "
            "explained");
}

}  // namespace
}  // namespace yona::testing
