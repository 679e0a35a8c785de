#include "yona/inspect/explain.h"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/decode/translator.h"

#include "tests/harness/temp_dir.h"
#include "tests/inspect/random_model.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

const std::string kSource = "my sister never opens";

std::unique_ptr<TranslationModel> model_of(const TransformerConfig& config,
                                           Packing packing = Packing::no) {
  const TempDir folder;
  write_random_model(folder.path(), config);
  return TranslationModel::load(folder.path(), shared_backend("cpu"), packing);
}

// The whole path through the taken-apart layer ends where the model's own forward pass does.
void expect_scorers_distribution(const TranslationModel& model, const Explanation& explanation) {
  ASSERT_FALSE(explanation.next.empty());
  std::vector<ScorePair> pairs;
  for (const Explanation::Candidate& candidate : explanation.next) {
    ScorePair& scored = pairs.emplace_back();
    scored.source = explanation.source_ids;
    scored.target.assign(explanation.decoder_ids.begin() + 1, explanation.decoder_ids.end());
    scored.target.push_back(candidate.id);
  }
  PairScorer scorer({&model.transformer()}, shared_backend("cpu"), {});
  const std::vector<Hypothesis> scores = scorer.score(pairs);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_NEAR(std::log(explanation.next[i].probability), scores[i].token_scores.back(), 1e-4);
  }
}

void expect_recorded_weights(const TranslationModel& model, const Explanation& explanation) {
  std::vector<std::int32_t> source, target;
  model.subwords().source.encode(kSource, source);
  target.assign(explanation.decoder_ids.begin() + 1, explanation.decoder_ids.end());
  const AttentionMaps maps = inspect_attention(model, shared_backend("cpu"), source, target);
  const AttentionMap& map = maps.at(explanation.part, explanation.layer);
  ASSERT_EQ(explanation.weights.size(), static_cast<std::size_t>(map.queries));
  for (std::int64_t query = 0; query < map.queries; ++query) {
    const auto row = map.row(explanation.head, query);
    for (std::size_t key = 0; key < row.size(); ++key) {
      EXPECT_NEAR(explanation.weights[static_cast<std::size_t>(query)][key], row[key], 1e-6);
    }
  }
  for (std::int64_t head = 0; head < map.heads; ++head) {
    const auto row = map.row(head, explanation.query);
    EXPECT_THAT(explanation.heads[static_cast<std::size_t>(head)].weights,
                ::testing::Pointwise(::testing::FloatNear(1e-6F), row));
  }
}

// The shown scores, masked and normalised, are the shown weights.
void expect_softmax_of_scores(const Explanation& explanation) {
  const auto& weights = explanation.weights[static_cast<std::size_t>(explanation.query)];
  double sum = 0;
  for (std::size_t key = 0; key < weights.size(); ++key) {
    sum += explanation.seen[key] ? std::exp(explanation.scores[key]) : 0.0;
  }
  for (std::size_t key = 0; key < weights.size(); ++key) {
    const double expected = explanation.seen[key] ? std::exp(explanation.scores[key]) / sum : 0.0;
    EXPECT_NEAR(weights[key], expected, 1e-5);
  }
}

// Σ weight · value over the shown channels is the head's shown output.
void expect_weighted_values(const Explanation& explanation) {
  const auto& weights = explanation.weights[static_cast<std::size_t>(explanation.query)];
  for (std::size_t channel = 0; channel < explanation.head_output.size(); ++channel) {
    double sum = 0;
    for (std::size_t key = 0; key < weights.size(); ++key) {
      sum += double{weights[key]} * explanation.v[key][channel];
    }
    EXPECT_NEAR(explanation.head_output[channel], sum, 1e-5);
  }
}

void expect_explained(const TranslationModel& model, const ExplainRequest& request) {
  SCOPED_TRACE(std::string(name_of(request.part)) + " layer " + std::to_string(request.layer));
  const Explanation explanation = explain(model, shared_backend("cpu"), request);
  expect_scorers_distribution(model, explanation);
  expect_recorded_weights(model, explanation);
  expect_softmax_of_scores(explanation);
  expect_weighted_values(explanation);
}

std::vector<std::string> some_prefix(const TranslationModel& model) {
  std::vector<std::int32_t> ids;
  model.subwords().target.encode("der Nachbar", ids);
  return pieces_of(ids, model.subwords().target.vocabulary());
}

TEST(Explain, EqualsTheModelsOwnForwardAtEveryPartAndLayer) {
  const auto model = model_of(small_config());
  for (const AttentionPart part : kAttentionParts) {
    const std::int64_t layers = part == AttentionPart::encoder ? 2 : 3;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      expect_explained(*model, {.source = kSource,
                                .target_prefix = some_prefix(*model),
                                .part = part,
                                .layer = layer,
                                .head = layer % 2,
                                .query = 1});
    }
  }
}

TEST(Explain, KnowsEveryKindOfTransformer) {
  std::vector<TransformerConfig> variants(6, small_config());
  variants[0].d_k = 20;
  variants[0].d_v = 5;
  variants[1].positions = PositionKind::learned;
  variants[2].norm = NormPosition::pre;
  variants[3].attention = AttentionKind::unscaled;
  variants[4].tying = Tying::none;
  variants[5].activation = FeedForwardActivation::gelu;
  for (const TransformerConfig& config : variants) {
    const auto model = model_of(config);
    for (const AttentionPart part : kAttentionParts) {
      expect_explained(*model, {.source = kSource,
                                .target_prefix = some_prefix(*model),
                                .part = part,
                                .layer = 1,
                                .head = 1,
                                .query = 0});
    }
  }
}

TEST(Explain, WorksWithPackedWeightsWhileTheyTranslate) {
  const auto model = model_of(small_config(), Packing::yes);
  Translator({model.get()}, shared_backend("cpu")).translate({kSource});
  expect_explained(*model, {.source = kSource, .part = AttentionPart::cross, .query = 0});
}

TEST(Explain, ShowsNoMoreThanSixteenChannels) {
  TransformerConfig config = small_config();
  config.d_model = 40;
  config.d_ff = 24;
  const auto model = model_of(config);
  const Explanation e = explain(*model, shared_backend("cpu"), {.source = kSource});
  EXPECT_THAT(e.embeddings, SizeIs(e.source_tokens.size()));
  EXPECT_THAT(e.embeddings.front(), SizeIs(16));
  EXPECT_THAT(e.q, SizeIs(16));
  EXPECT_THAT(e.inner, SizeIs(16));
  EXPECT_THAT(e.next, SizeIs(10));
  EXPECT_GT(e.zeros, 0);  // a ReLU leaves about half of them
  EXPECT_LT(e.zeros, 24);
  EXPECT_THAT(e.decoder_tokens, ElementsAre("<pad>"));
}

TEST(Explain, AddsPositionsToScaledEmbeddings) {
  const auto model = model_of(small_config());
  const Explanation e = explain(*model, shared_backend("cpu"), {.source = "the the the"});
  const std::vector<double> table = sinusoids(3, 16, 10000.0);
  EXPECT_EQ(e.embeddings[0], e.embeddings[1]);
  for (std::size_t channel = 0; channel < 16; ++channel) {
    EXPECT_NEAR(e.positions[1][channel], table[16 + channel], 1e-6);
    EXPECT_NEAR(e.sums[2][channel], e.embeddings[2][channel] + e.positions[2][channel], 1e-6);
  }
  EXPECT_EQ(e.sums, e.inputs);  // of the first layer
}

TEST(Explain, HidesLaterTokensFromTheDecoderOnly) {
  const auto model = model_of(small_config());
  ExplainRequest request{.source = kSource,
                         .target_prefix = some_prefix(*model),
                         .part = AttentionPart::decoder,
                         .query = 0};
  const Explanation decoder = explain(*model, shared_backend("cpu"), request);
  EXPECT_TRUE(decoder.seen[0]);
  EXPECT_FALSE(decoder.seen[1]);
  EXPECT_EQ(decoder.weights[0][0], 1.0F);
  request.part = AttentionPart::encoder;
  const Explanation encoder = explain(*model, shared_backend("cpu"), request);
  EXPECT_EQ(std::count(encoder.seen.begin(), encoder.seen.end(), false), 0);
}

TEST(Explain, SaysWhatIsNotThere) {
  const auto model = model_of(small_config());
  const auto message = [&](const ExplainRequest& request) {
    return message_of<InvalidArgument>([&] { explain(*model, shared_backend("cpu"), request); });
  };
  EXPECT_EQ(message({.source = ""}), "explain: the source is empty; give at least one word");
  EXPECT_EQ(message({.source = "the", .layer = 2}),
            "explain: there is no layer 2; there are 2, counted from 0");
  EXPECT_EQ(message({.source = "the", .head = -1}),
            "explain: there is no head -1; there are 2, counted from 0");
  EXPECT_EQ(message({.source = "the", .part = AttentionPart::cross, .query = 1}),
            "explain: there is no token 1; there are 1, counted from 0");
  EXPECT_EQ(message({.source = "the", .target_prefix = {"no such piece"}}),
            "explain: the model has no piece \"no such piece\"");
  TransformerConfig additive = small_config();
  additive.attention = AttentionKind::additive;
  const auto other = model_of(additive);
  EXPECT_EQ(message_of<NotImplemented>(
                [&] { explain(*other, shared_backend("cpu"), {.source = "the"}); }),
            "explain: the model's attention is additive; only products of queries and keys can be "
            "explained");
}

}  // namespace
}  // namespace yona::testing
