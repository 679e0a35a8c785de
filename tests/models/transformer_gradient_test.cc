// Gradients of the whole model with every kind of dropout on, which no fixture covers: against
// finite differences in double, along random directions through all parameters.

#include <gtest/gtest.h>

#include "tests/harness/compare.h"
#include "tests/harness/model_gradient.h"
#include "tests/harness/tolerances.h"
#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

struct Loss {
  ToyModel& toy;
  std::vector<ToySentence> batch = toy_sentences({{4, 3}, {1, 1}, {2, 5}});
  bool rdrop = false;

  double operator()(Tape* tape) {
    Context c{.region = toy.region, .tape = tape, .training = true};
    const Ragged states = toy.decode(batch, c);
    std::vector<std::int32_t> targets;
    for (std::int64_t t = 0; t < states.tokens(); ++t) {
      targets.push_back(static_cast<std::int32_t>(t % 10));
    }
    const auto rows = static_cast<std::size_t>(states.tokens());
    const CrossEntropyOptions options{
        .smoothing = 0.1F,
        .row_scale =
            tensor_of(std::vector<double>(rows, 0.125), {states.tokens()}, DType::f32, toy.region)};
    const Tensor ids = ids_of(targets, toy.region);
    Tensor losses;
    Context second = c;
    second.random.pass = 1;
    if (rdrop) {
      losses = linear_rdrop(states.values, toy.decode(batch, second).values, toy.model.projection(),
                            ids, 0.7F, options, c);
    } else {
      losses = linear_cross_entropy(states.values, toy.model.projection(), ids, options, c);
    }
    if (tape != nullptr) {
      tape->backward();
    }
    const std::vector<double> values = values_of(losses);
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); i += 2) {
      sum += 0.125 * values[i];
    }
    return sum;
  }
};

void expect_gradient(const Seq2SeqConfig& config, bool rdrop = false) {
  ToyModel toy(config, "reference", DType::f64);
  Loss loss{.toy = toy, .rdrop = rdrop};
  // A step that few kinks of relu lie within; its cube against the rounding of the loss.
  expect_gradient_of(toy.parameters, loss, {.step = 1e-6});
}

TransformerConfig dropping(const TransformerConfig& base) {
  TransformerConfig config = base;
  config.dropout = 0.3;
  config.attention_dropout = 0.2;
  config.activation_dropout = 0.2;
  return config;
}

TEST(TransformerGradient, MatchesDifferencesWithDropoutAfterNorm) {
  expect_gradient(dropping(toy_config()));
}

TEST(TransformerGradient, MatchesDifferencesWithDropoutBeforeNorm) {
  TransformerConfig config = dropping(toy_config());
  config.norm = NormPosition::pre;
  config.activation = FeedForwardActivation::gelu;
  config.positions = PositionKind::learned;
  expect_gradient(config);
}

TEST(TransformerGradient, MatchesDifferencesOfReversibleLayers) {
  TransformerConfig config = dropping(toy_config());
  config.norm = NormPosition::pre;
  config.reversible = true;
  config.activation = FeedForwardActivation::gelu;
  config.positions = PositionKind::relative;
  expect_gradient(config);
  config.dropout = 0;
  expect_gradient(config, true);
}

TEST(TransformerGradient, MatchesDifferencesOfAdditiveAttentionAndOwnTables) {
  TransformerConfig config = dropping(toy_config());
  config.attention = AttentionKind::additive;
  config.tying = Tying::none;
  config.d_k = 3;
  config.d_v = 5;
  expect_gradient(config);
}

TEST(TransformerGradient, MatchesDifferencesOfWindowsAndRotaryPositions) {
  TransformerConfig config = dropping(toy_config());
  config.positions = PositionKind::rotary;
  config.attention = AttentionKind::window;
  config.attention_sizes.window = 2;
  expect_gradient(config);
}

TEST(TransformerGradient, MatchesDifferencesOfRandomFeatures) {
  TransformerConfig config = dropping(toy_config());
  config.attention_dropout = 0.0;
  config.attention = AttentionKind::performer;
  config.attention_sizes.features = 10;
  expect_gradient(config);
}

// Without dropout: where it leaves nothing of a row, the norm of zeros bends too sharply for a
// difference.
TEST(TransformerGradient, MatchesDifferencesWithoutResidualConnections) {
  for (const NormPosition norm : {NormPosition::post, NormPosition::pre}) {
    TransformerConfig config = toy_config();
    config.activation = FeedForwardActivation::gelu;
    config.norm = norm;
    config.missing = MissingPart::residual;
    expect_gradient(config);
  }
}

TEST(TransformerGradient, MatchesDifferencesOfTwoPassesWithRDrop) {
  expect_gradient(dropping(toy_config()), true);
}

TEST(Seq2SeqGradient, MatchesDifferencesOfEveryOtherArchitecture) {
  for (Seq2SeqConfig config : other_toy_configs()) {
    SCOPED_TRACE(toy_name(config));
    config.dropout = 0.3;
    expect_gradient(config);
  }
}

// The embedding of <pad> is zero, is the decoder's first input, and must stay zero.
TEST(TransformerGradient, LeavesPaddingAlone) {
  for (const Tying tying : {Tying::all, Tying::target, Tying::none}) {
    TransformerConfig config = dropping(toy_config());
    config.tying = tying;
    ToyModel toy(config, "cpu");
    Loss loss{.toy = toy};
    Tape tape;
    toy.parameters.zero_gradients();
    loss(&tape);
    int tables = 0;
    for (const Parameters::Entry& entry : toy.parameters.entries()) {
      if (entry.value.rows() == 11 && entry.value.cols() == 8) {
        ++tables;
        const Tensor pad = entry.value.row_range(10, 1);
        expect_near(values_of(pad.gradient()), std::vector<double>(8, 0.0), 0.0, entry.name);
        EXPECT_GT(norm_of(values_of(entry.value.gradient())), 0.0) << entry.name;
      }
    }
    EXPECT_EQ(tables, tying == Tying::all ? 1 : tying == Tying::target ? 2 : 3);
  }
}

}  // namespace
}  // namespace yona::testing
