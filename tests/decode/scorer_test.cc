// Scores of given translations, against what decoding says of the same ones.

#include "yona/decode/scorer.h"

#include <cmath>

#include <gtest/gtest.h>

#include "yona/decode/batch_decoder.h"

#include "tests/harness/temp_dir.h"
#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

TEST(PairScorer, AgreesWithTheSearchOnItsOwnResults) {
  ToyModel first(toy_config(), "cpu");
  ToyModel second(toy_config(), "cpu");
  set_values(second.parameters.find("decoder.layers.0.feed_forward.outer.bias")->value,
             std::vector<double>(8, 0.7));
  const std::vector<DecodeRequest> requests{{.source = {3, 5, 0}}, {.source = {7, 2, 2, 4, 0}}};
  for (const std::string& mode : beam_mode_names()) {
    for (const EnsembleMean mean : {EnsembleMean::log_probabilities, EnsembleMean::probabilities}) {
      DecodeOptions options = DecodeOptions::for_mode(beam_mode(mode));
      options.beam = options.n_best = 3;
      options.limit = {.factor = 1, .extra = 5};
      options.min_length = 0;
      options.force_end = false;
      options.ensemble = mean;
      const std::vector<const SequenceModel*> models{&first.model, &second.model};
      BatchDecoder decoder(models, shared_backend("cpu"), options);
      PairScorer scorer(models, shared_backend("cpu"), options);
      std::vector<ScorePair> pairs;
      std::vector<Hypothesis> found;
      const auto answers = decoder.decode(requests);
      for (std::size_t i = 0; i < requests.size(); ++i) {
        for (const Hypothesis& hypothesis : answers[i]) {
          pairs.push_back({requests[i].source, hypothesis.ids});
          found.push_back(hypothesis);
        }
      }
      const std::vector<Hypothesis> scored = scorer.score(pairs);
      ASSERT_EQ(scored.size(), found.size());
      for (std::size_t i = 0; i < scored.size(); ++i) {
        EXPECT_EQ(scored[i].ids, found[i].ids);
        if (std::isfinite(found[i].score)) {  // CTranslate2 divides an empty output's by zero
          EXPECT_NEAR(scored[i].score, found[i].score, 1e-4) << mode;
        }
        EXPECT_NEAR(scored[i].log_probability, found[i].log_probability, 1e-4) << mode;
        for (std::size_t t = 0; t < scored[i].token_scores.size(); ++t) {
          EXPECT_NEAR(scored[i].token_scores[t], found[i].token_scores[t], 1e-4) << mode;
        }
      }
    }
  }
}

TEST(PairScorer, GivesTheAttentionOfEachTokenOverTheSource) {
  ToyModel toy(toy_config(), "cpu");
  DecodeOptions options;
  options.alignments = true;
  const std::vector<ScorePair> pairs{{{3, 5, 7, 0}, {4, 0}}, {{2, 0}, {1, 6, 0}}};
  const auto attention_of = [&](std::int64_t layer, std::span<const ScorePair> batch) {
    options.alignment_layer = layer;
    return PairScorer({&toy.model, &toy.model}, shared_backend("cpu"), options).score(batch);
  };
  const std::vector<Hypothesis> last = attention_of(-1, pairs);
  ASSERT_EQ(last[0].attention.size(), 2U);
  ASSERT_EQ(last[1].attention.size(), 3U);
  for (const std::vector<float>& row : last[0].attention) {
    ASSERT_EQ(row.size(), 4U);
    EXPECT_NEAR(row[0] + row[1] + row[2] + row[3], 1.0, 1e-5);
  }
  const std::vector<Hypothesis> alone = attention_of(1, std::span(pairs).last(1));
  for (std::size_t t = 0; t < 3; ++t) {
    EXPECT_NEAR(alone[0].attention[t][0], last[1].attention[t][0], 1e-5);
  }
  EXPECT_NE(attention_of(0, pairs)[0].attention, last[0].attention);
  EXPECT_EQ(message_of<InvalidArgument>([&] { attention_of(2, pairs); }),
            "alignments: there is no decoder layer 2; the model has 2");
}

TEST(PairScorer, SaysWhatItCannotScore) {
  ToyModel toy(toy_config(), "cpu");
  PairScorer scorer({&toy.model}, shared_backend("cpu"), {});
  const auto complaint = [&](const ScorePair& pair) {
    return message_of<InvalidArgument>([&] { scorer.score({&pair, 1}); });
  };
  EXPECT_TRUE(scorer.score({}).empty());
  EXPECT_EQ(complaint({{3, 0}, {}}),
            "score: the target of pair 1 has 0 tokens; between 1 and 16 can be scored");
  EXPECT_EQ(complaint({Ids(17, 3), {0}}),
            "score: the source of pair 1 has 17 tokens; between 1 and 16 can be scored");
  EXPECT_EQ(complaint({{3, 0}, {10, 0}}),
            "score: sentence 1 has the target id 10, outside the vocabulary of 10 pieces");
  EXPECT_EQ(message_of<InvalidArgument>([&] { PairScorer({}, shared_backend("cpu"), {}); }),
            "score: there is no model");
  set_values(toy.parameters.find("decoder.layers.1.feed_forward.outer.bias")->value,
             std::vector<double>(8, NAN));
  const ScorePair pair{{3, 0}, {4, 0}};
  EXPECT_EQ(message_of<DeviceError>([&] {
              scorer.score({&pair, 1});
            }),
            "score: the model's outputs are not numbers: its weights are damaged");
}

}  // namespace
}  // namespace yona::testing
