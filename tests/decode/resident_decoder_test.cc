// Searches whose state is on the device, compared with the searches on the host: the same
// hypotheses for every beam, length and batch; on a GPU too, where there is one.

#include "yona/decode/resident_decoder.h"

#include <cmath>

#include <gtest/gtest.h>

#include "yona/decode/batch_decoder.h"

#include "tests/harness/temp_dir.h"
#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

std::vector<std::string_view> backends() {
  std::vector<std::string_view> names{"reference", "cpu"};
  if (has_cuda()) {
    names.emplace_back("cuda");
  }
  return names;
}

std::vector<ResidentRequest> requests_of(const std::vector<std::int64_t>& lengths,
                                         const LengthLimit& limit) {
  std::vector<std::pair<std::int64_t, std::int64_t>> shapes;
  for (const std::int64_t length : lengths) {
    shapes.emplace_back(length, 1);
  }
  std::vector<ResidentRequest> requests;
  for (const ToySentence& sentence : toy_sentences(shapes)) {
    const auto tokens = static_cast<double>(sentence.source.size());
    requests.push_back(
        {sentence.source, static_cast<std::int64_t>(limit.factor * tokens) + limit.extra});
  }
  return requests;
}

// What the host's searches find, on a CPU.
std::vector<std::vector<Hypothesis>> on_host(const std::vector<ResidentRequest>& requests,
                                             const DecodeOptions& options) {
  ToyModel toy(toy_config(), "cpu");
  BatchDecoder decoder({&toy.model}, shared_backend("cpu"), options);
  std::vector<DecodeRequest> same;
  for (const ResidentRequest& request : requests) {
    same.push_back({.source = request.source});
  }
  return decoder.decode(same);
}

void expect_same(const std::vector<std::vector<Hypothesis>>& actual,
                 const std::vector<std::vector<Hypothesis>>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t s = 0; s < actual.size(); ++s) {
    ASSERT_EQ(actual[s].size(), expected[s].size()) << "sentence " << s;
    for (std::size_t i = 0; i < actual[s].size(); ++i) {
      EXPECT_EQ(actual[s][i].ids, expected[s][i].ids) << "sentence " << s << ", hypothesis " << i;
      EXPECT_NEAR(actual[s][i].score, expected[s][i].score, 1e-4);
      EXPECT_NEAR(actual[s][i].log_probability, expected[s][i].log_probability, 1e-4);
      EXPECT_EQ(actual[s][i].token_scores.size(), actual[s][i].ids.size());
    }
  }
}

std::vector<std::vector<Hypothesis>> resident(std::string_view backend,
                                              const std::vector<ResidentRequest>& requests,
                                              const DecodeOptions& options) {
  ToyModel toy(toy_config(), backend);
  Region region(shared_backend(backend), std::int64_t{1} << 28U);
  return ResidentDecoder(toy.model, options, region).decode(requests);
}

TEST(ResidentDecoder, FindsWhatTheHostFinds) {
  DecodeOptions options;
  options.limit = {.factor = 1, .extra = 4};
  const std::vector<ResidentRequest> requests = requests_of({5, 1, 3, 7, 2}, options.limit);
  for (const std::string_view backend : backends()) {
    for (const std::int64_t beam : {1, 2, 4, 7}) {
      for (const double penalty : {0.0, 0.6, -1.0}) {
        SCOPED_TRACE(::testing::Message() << backend << ", beam " << beam << ", α " << penalty);
        options.beam = options.n_best = beam;
        options.length_penalty = penalty;
        expect_same(resident(backend, requests, options), on_host(requests, options));
      }
    }
  }
}

TEST(ResidentDecoder, HeedsShortestAndLongestOutputsAndUnknownWords) {
  DecodeOptions options;
  options.suppress_unknown = true;
  for (const std::string_view backend : backends()) {
    for (const std::int64_t least : {0, 1, 3, 9}) {
      for (const std::int64_t most : {1, 3, 9}) {
        SCOPED_TRACE(::testing::Message() << backend << ", " << least << " to " << most);
        options.min_length = least;
        options.limit = {.factor = 0, .extra = most};
        const std::vector<ResidentRequest> requests = requests_of({4, 2, 6}, options.limit);
        expect_same(resident(backend, requests, options), on_host(requests, options));
      }
    }
  }
}

TEST(ResidentDecoder, GathersSentencesThatGoOnAndUsesItsMemoryAgain) {
  DecodeOptions options;
  options.limit = {.factor = 1.3, .extra = 0};  // sentences end one after another
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < 70; ++i) {
    lengths.push_back(1 + i * 7 % 11);
  }
  const std::vector<ResidentRequest> many = requests_of(lengths, options.limit);
  const std::vector<ResidentRequest> few(many.begin(), many.begin() + 3);
  const auto of_many = on_host(many, options);
  const auto of_few = on_host(few, options);
  for (const std::string_view backend : backends()) {
    SCOPED_TRACE(backend);
    ToyModel toy(toy_config(), backend);
    Region region(shared_backend(backend), std::int64_t{1} << 28U);
    ResidentDecoder decoder(toy.model, options, region);
    expect_same(decoder.decode(few), of_few);
    for (int repetition = 0; repetition < 3; ++repetition) {
      expect_same(decoder.decode(many), of_many);
      expect_same(decoder.decode(few), of_few);
    }
  }
}

TEST(ResidentDecoder, TakesMoreSentencesThanItDecodesTogether) {
  DecodeOptions options;
  options.limit = {.factor = 0, .extra = 2};
  std::vector<std::int64_t> lengths(ResidentDecoder::kMostSentences + 3, 2);
  lengths.back() = 5;
  const std::vector<ResidentRequest> requests = requests_of(lengths, options.limit);
  expect_same(resident("cpu", requests, options), on_host(requests, options));
  EXPECT_TRUE(resident("cpu", {}, options).empty());
}

// Rounded to 8 or 11 bits the same sentences may come in another order; the best one's score is
// near.
TEST(ResidentDecoder, FindsScoresNearTheHostsInBf16AndF16) {
  if (!has_cuda()) {
    GTEST_SKIP() << "no GPU";
  }
  DecodeOptions options;
  options.limit = {.factor = 1, .extra = 4};
  const std::vector<ResidentRequest> requests = requests_of({5, 1, 3, 7, 2}, options.limit);
  const auto expected = on_host(requests, options);
  for (const Precision precision : {Precision::bf16, Precision::f16}) {
    options.precision = precision;
    const auto found = resident("cuda", requests, options);
    for (std::size_t s = 0; s < found.size(); ++s) {
      EXPECT_NEAR(found[s].front().score, expected[s].front().score,
                  precision == Precision::f16 ? 0.01 : 0.1)
          << "sentence " << s;
    }
  }
}

TEST(ResidentDecoder, HasFewSizes) {
  EXPECT_EQ(ResidentDecoder::slots_for(1), 1);
  EXPECT_EQ(ResidentDecoder::slots_for(3), 4);
  EXPECT_EQ(ResidentDecoder::slots_for(33), 64);
  EXPECT_EQ(ResidentDecoder::slots_for(96), 96);
  EXPECT_EQ(ResidentDecoder::slots_for(97), 128);
  EXPECT_EQ(ResidentDecoder::slots_for(512), 512);
}

TEST(ResidentDecoder, SuitsThePapersSearchOfOneModel) {
  ToyModel toy(toy_config(), "cpu");
  const std::vector<const SequenceModel*> one{&toy.model}, two{&toy.model, &toy.model};
  DecodeOptions options;
  EXPECT_TRUE(ResidentDecoder::suits(options, one));
  EXPECT_FALSE(ResidentDecoder::suits(options, two));
  options.beam = 33;
  EXPECT_FALSE(ResidentDecoder::suits(options, one));
  EXPECT_FALSE(ResidentDecoder::suits(DecodeOptions::for_mode(BeamMode::marian), one));
  options = {};
  options.no_repeat_ngram = 3;
  EXPECT_FALSE(ResidentDecoder::suits(options, one));
  options = {};
  options.sampling.on = true;
  EXPECT_FALSE(ResidentDecoder::suits(options, one));
  TransformerConfig relative = toy_config();
  relative.positions = PositionKind::relative;
  const Transformer by_distance(relative);
  EXPECT_FALSE(ResidentDecoder::suits({}, std::vector<const SequenceModel*>{&by_distance}));
}

TEST(ResidentDecoder, SaysWhenTheModelGivesNoNumbers) {
  for (const std::string_view backend : backends()) {
    ToyModel toy(toy_config(), backend);
    set_values(toy.parameters.weights(),
               std::vector<double>(static_cast<std::size_t>(toy.parameters.count()), NAN));
    Region region(shared_backend(backend), std::int64_t{1} << 28U);
    ResidentDecoder decoder(toy.model, {}, region);
    EXPECT_EQ(message_of<DeviceError>(
                  [&] { decoder.decode(requests_of({3}, {.factor = 1, .extra = 4})); }),
              "decode: the model's outputs are not numbers: its weights are damaged");
  }
}

}  // namespace
}  // namespace yona::testing
