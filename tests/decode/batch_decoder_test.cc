// Decoding with a cache against the plain way: the whole prefix through the decoder at every step,
// one beam at a time.

#include "yona/decode/batch_decoder.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "yona/base/stop.h"
#include "yona/decode/constraints.h"
#include "yona/decode/search.h"
#include "yona/tensor/ops/matmul.h"
#include "yona/tensor/ops/softmax.h"
#include "yona/tensor/packed_weights.h"

#include "tests/harness/temp_dir.h"
#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

std::vector<DecodeRequest> requests_of(const std::vector<std::int64_t>& lengths) {
  std::vector<DecodeRequest> requests;
  std::vector<std::pair<std::int64_t, std::int64_t>> shapes;
  for (const std::int64_t length : lengths) {
    shapes.emplace_back(length, 1);
  }
  for (const ToySentence& sentence : toy_sentences(shapes)) {
    requests.push_back({.source = sentence.source, .id = requests.size()});
  }
  return requests;
}

// log p(· | source, prefix), from the whole prefix.
std::vector<float> next_token(ToyModel& toy, const Ids& source, const Ids& prefix) {
  Context c{.region = toy.region};
  Ids input{toy.model.start_id()};
  input.insert(input.end(), prefix.begin(), prefix.end());
  const Ragged states = toy.decode({{0, source, input}}, c);
  const Tensor last = states.values.row_range(states.tokens() - 1, 1);
  return log_softmax(matmul(last, toy.model.projection(), Transpose::yes, c), c).to_vector<float>();
}

std::vector<Hypothesis> plain_search(ToyModel& toy, const DecodeRequest& request,
                                     const DecodeOptions& options, std::int64_t max_length) {
  const auto search = make_search(options, {.max_length = max_length, .end = 0});
  std::vector<Candidate> found;
  do {
    found.clear();
    for (std::size_t b = 0; b < search->beams().size(); ++b) {
      const Beam& beam = search->beams()[b];
      std::vector<float> scores = next_token(toy, request.source, search->tokens_of(beam));
      Ids bans;
      append_bans(*search, beam, options, bans);
      for (const std::int32_t token : bans) {
        scores[static_cast<std::size_t>(token)] = -INFINITY;
      }
      for (std::size_t token = 0; token < scores.size(); ++token) {
        if (scores[token] > -INFINITY &&
            (search->forced() < 0 || search->forced() == static_cast<std::int32_t>(token))) {
          const float gain = search->forced() >= 0 && search->forced_is_free() ? 0 : scores[token];
          found.push_back(
              {beam.score + gain, static_cast<std::int32_t>(b), static_cast<std::int32_t>(token)});
        }
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
    found.resize(std::min(found.size(), static_cast<std::size_t>(search->candidates())));
  } while (search->advance(found));
  return search->results();
}

void expect_same_results(const std::vector<Hypothesis>& actual,
                         const std::vector<Hypothesis>& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual[i].ids, expected[i].ids) << what << ", hypothesis " << i;
    EXPECT_NEAR(actual[i].score, expected[i].score, 1e-4) << what;
    EXPECT_NEAR(actual[i].log_probability, expected[i].log_probability, 1e-4) << what;
  }
}

TEST(BatchDecoder, FindsWhatThePlainWayFinds) {
  for (const std::string_view backend : {"reference", "cpu"}) {
    ToyModel toy(toy_config(), backend);
    const std::vector<DecodeRequest> requests = requests_of({5, 1, 3, 7});
    for (const std::string& mode : beam_mode_names()) {
      for (const std::int64_t beam : {1, 2, 5}) {
        DecodeOptions options = DecodeOptions::for_mode(beam_mode(mode));
        options.beam = options.n_best = beam;
        options.limit = {.factor = 1, .extra = 4};
        BatchDecoder decoder({&toy.model}, shared_backend(backend), options);
        const auto answers = decoder.decode(requests);
        for (std::size_t i = 0; i < requests.size(); ++i) {
          const auto length = static_cast<std::int64_t>(requests[i].source.size());
          if (options.mode != BeamMode::ctranslate2) {  // which bans before the softmax
            expect_same_results(
                answers[i], plain_search(toy, requests[i], options, decoder.max_length(length)),
                mode + ", beam " + std::to_string(beam) + ", sentence " + std::to_string(i));
          }
        }
      }
    }
  }
}

TEST(BatchDecoder, DoesNotDependOnTheBatch) {
  ToyModel toy(toy_config(), "cpu");
  std::vector<DecodeRequest> requests = requests_of({5, 1, 3, 7, 2, 6, 4, 5});
  for (const bool sampling : {false, true}) {
    DecodeOptions options;
    options.n_best = 3;
    options.sampling.on = sampling;
    BatchDecoder decoder({&toy.model}, shared_backend("cpu"), options);
    const auto together = decoder.decode(requests);
    std::vector<DecodeRequest> turned(requests.rbegin(), requests.rend());
    const auto backwards = decoder.decode(turned);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto alone = decoder.decode(std::span(requests).subspan(i, 1));
      expect_same_results(alone.front(), together[i], "alone");
      expect_same_results(backwards[requests.size() - 1 - i], together[i], "backwards");
    }
  }
}

TEST(BatchDecoder, HoldsToLengthsPrefixesAndBans) {
  ToyModel toy(toy_config(), "cpu");
  std::vector<DecodeRequest> requests = requests_of({5, 3});
  requests[1].prefix = {4, 4, 2};
  for (const std::string& mode : beam_mode_names()) {
    DecodeOptions options = DecodeOptions::for_mode(beam_mode(mode));
    options.beam = options.n_best = 3;
    options.min_length = 6;
    options.limit = {.factor = 0, .extra = 9};
    options.suppress_unknown = true;
    BatchDecoder decoder({&toy.model}, shared_backend("cpu"), options);
    const auto answers = decoder.decode(requests);
    for (const std::vector<Hypothesis>& hypotheses : answers) {
      for (const Hypothesis& hypothesis : hypotheses) {
        EXPECT_GE(hypothesis.ids.size(), 7U) << mode;
        EXPECT_LE(hypothesis.ids.size(), 9U) << mode;
        EXPECT_EQ(std::count(hypothesis.ids.begin(), hypothesis.ids.end(), 1), 0) << mode;
        EXPECT_EQ(hypothesis.token_scores.size(), hypothesis.ids.size()) << mode;
      }
    }
    for (const Hypothesis& hypothesis : answers[1]) {
      EXPECT_EQ(Ids(hypothesis.ids.begin(), hypothesis.ids.begin() + 3), requests[1].prefix)
          << mode;
    }
  }
}

TEST(BatchDecoder, FindsTheSameTokensGreedilyWithoutScores) {
  TransformerConfig config = toy_config();
  config.source_vocabulary = config.target_vocabulary = 700;
  config.d_model = 32;
  config.tying = Tying::none;  // else an untrained model repeats its input
  Transformer model(config);
  Parameters parameters(model, shared_backend("cpu"), Gradients::no);
  parameters.initialise(3);
  const PackedWeights packed(parameters.weights());
  std::vector<DecodeRequest> requests = requests_of({5, 1, 3, 7, 2, 6});
  requests[2].prefix = {4, 4, 2};
  std::set<std::int32_t> tokens;
  for (const std::int64_t min_length : {0, 6}) {
    for (const std::size_t batch : {1U, 4U, 6U}) {
      DecodeOptions options;
      options.beam = 1;
      options.min_length = min_length;
      options.suppress_unknown = min_length > 0;
      BatchDecoder exact({&model}, shared_backend("cpu"), options);
      options.scores = false;
      BatchDecoder quick({&model}, shared_backend("cpu"), options);
      for (std::size_t first = 0; first < requests.size(); first += batch) {
        const auto part =
            std::span(requests).subspan(first, std::min(batch, requests.size() - first));
        const auto expected = exact.decode(part), found = quick.decode(part);
        for (std::size_t i = 0; i < part.size(); ++i) {
          EXPECT_EQ(found[i].front().ids, expected[i].front().ids);
          EXPECT_NEAR(found[i].front().score, expected[i].front().score, 0.1);
          tokens.insert(expected[i].front().ids.begin(), expected[i].front().ids.end());
        }
      }
    }
  }
  EXPECT_GT(tokens.size(), 10U);  // there was something to choose
}

TEST(BatchDecoder, NeverRepeatsAnNgram) {
  ToyModel toy(toy_config(), "cpu");
  DecodeOptions options;
  options.min_length = 14;
  options.no_repeat_ngram = 2;
  BatchDecoder decoder({&toy.model}, shared_backend("cpu"), options);
  for (const auto& hypotheses : decoder.decode(requests_of({5, 3}))) {
    const Ids& ids = hypotheses.front().ids;
    std::vector<std::pair<std::int32_t, std::int32_t>> seen;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      EXPECT_EQ(std::count(seen.begin(), seen.end(), std::pair(ids[i], ids[i + 1])), 0);
      seen.emplace_back(ids[i], ids[i + 1]);
    }
  }
}

TEST(BatchDecoder, KnowsTheEdges) {
  ToyModel toy(toy_config(), "cpu");
  Backend& backend = shared_backend("cpu");
  EXPECT_TRUE(BatchDecoder({&toy.model}, backend, {}).decode({}).empty());

  const std::vector<DecodeRequest> with_empty{{.source = {}}, {.source = {3, 0}}};
  const auto answers = BatchDecoder({&toy.model}, backend, {}).decode(with_empty);
  ASSERT_EQ(answers[0].size(), 1U);
  EXPECT_TRUE(answers[0][0].ids.empty());
  EXPECT_FALSE(answers[1][0].ids.empty());

  DecodeOptions options;
  options.limit = {.factor = 0, .extra = 0};
  EXPECT_TRUE(BatchDecoder({&toy.model}, backend, options)
                  .decode(std::span(with_empty).last(1))[0][0]
                  .ids.empty());
  options.limit.extra = 1;
  for (const std::string& mode : beam_mode_names()) {
    options.mode = beam_mode(mode);
    EXPECT_EQ(BatchDecoder({&toy.model}, backend, options)
                  .decode(std::span(with_empty).last(1))[0][0]
                  .ids.size(),
              1U)
        << mode;
    DecodeOptions wide = DecodeOptions::for_mode(options.mode);
    wide.beam = wide.n_best = 100;  // more than the vocabulary
    wide.limit = {.factor = 0, .extra = 3};
    const auto many = BatchDecoder({&toy.model}, backend, wide).decode(with_empty);
    EXPECT_GE(many[1].size(), 9U) << mode;
    EXPECT_LE(many[1].size(), 100U) << mode;
  }
}

TEST(BatchDecoder, SaysWhatItCannotTake) {
  ToyModel toy(toy_config(), "cpu");
  Backend& backend = shared_backend("cpu");
  BatchDecoder decoder({&toy.model}, backend, {});
  const auto complaint = [&](const DecodeRequest& request) {
    return message_of<InvalidArgument>([&] { decoder.decode({&request, 1}); });
  };
  EXPECT_EQ(complaint({.source = Ids(17, 3)}),
            "decode: sentence 1 has 17 tokens, the model takes at most 16");
  EXPECT_EQ(complaint({.source = {3, 11, 0}}),
            "decode: sentence 1 has the source id 11, outside the vocabulary of 11 pieces");
  EXPECT_EQ(complaint({.source = {3, 0}, .prefix = {10}}),
            "decode: sentence 1 has the prefix id 10, outside the vocabulary of 10 pieces");
  EXPECT_EQ(complaint({.source = {3, 0}, .prefix = Ids(16, 2)}),
            "decode: the prefix of sentence 1 has 16 tokens, its output at most 16");
  EXPECT_EQ(message_of<InvalidArgument>([&] { BatchDecoder({}, backend, {}); }),
            "decode: there is no model");
  TransformerConfig other = toy_config();
  other.source_vocabulary = other.target_vocabulary = 12;
  ToyModel larger(other, "cpu");
  EXPECT_EQ(
      message_of<InvalidArgument>([&] {
        BatchDecoder({&toy.model, &larger.model}, backend, {});
      }),
      "decode: models of an ensemble must have the same vocabularies; one has 11 source and 11 "
      "target pieces, another 12 and 12");
}

TEST(BatchDecoder, RefusesAModelWithoutNumbers) {
  ToyModel toy(toy_config(), "cpu");
  set_values(toy.parameters.find("decoder.layers.1.feed_forward.outer.bias")->value,
             std::vector<double>(8, NAN));
  BatchDecoder decoder({&toy.model}, shared_backend("cpu"), {});
  const std::vector<DecodeRequest> requests = requests_of({3});
  EXPECT_EQ(message_of<DeviceError>([&] { decoder.decode(requests); }),
            "decode: the model's outputs are not numbers: its weights are damaged");
}

TEST(BatchDecoder, EndsWhenAskedToAndCanBeUsedAgain) {
  ToyModel toy(toy_config(), "cpu");
  std::atomic<bool> stop{true};
  DecodeOptions options;
  options.stop = &stop;
  BatchDecoder decoder({&toy.model}, shared_backend("cpu"), options);
  const std::vector<DecodeRequest> requests = requests_of({5, 3});
  EXPECT_THROW(decoder.decode(requests), Interrupted);
  stop = false;
  BatchDecoder other({&toy.model}, shared_backend("cpu"), {});
  expect_same_results(decoder.decode(requests)[0], other.decode(requests)[0], "after a stop");
}

}  // namespace
}  // namespace yona::testing
