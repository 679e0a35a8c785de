// A part of the output layer: its logits are those of the whole, and decoding with it finds what
// decoding finds when everything else is banned.

#include "yona/decode/chosen_outputs.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/decode/batch_decoder.h"
#include "yona/decode/shortlist.h"

#include "tests/harness/temp_dir.h"
#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kPieces = 300;  // of the vocabulary; the last is <pad>
constexpr float kNever = -std::numeric_limits<float>::infinity();

enum class Weights : std::uint8_t { plain, packed, bytes };
constexpr std::array kAllWeights = {Weights::plain, Weights::packed, Weights::bytes};

// A model whose weights are as asked for.
struct ShortlistModel {
  explicit ShortlistModel(Weights weights, bool departs = false, std::uint64_t seed = 3)
      : model(config(departs)), parameters(model, shared_backend("cpu"), Gradients::no) {
    parameters.initialise(seed);
    if (departs) {
      const Tensor bias = parameters.find("projection.bias")->value;
      set_values(bias, random_values(bias.elements(), 7, -1, 1));
    }
    if (weights == Weights::packed) {
      packed = std::make_unique<PackedWeights>(parameters.weights());
    } else if (weights == Weights::bytes) {
      quantised = std::make_unique<QuantisedWeights>(parameters.weights());
    }
  }
  static TransformerConfig config(bool departs) {
    TransformerConfig config = toy_config();
    config.source_vocabulary = config.target_vocabulary = kPieces;
    config.d_model = 32;
    config.tying = Tying::none;  // else an untrained model repeats its input
    config.departures.projection_bias = config.departures.scaled_output = departs;
    return config;
  }

  Transformer model;
  Parameters parameters;
  std::unique_ptr<PackedWeights> packed;
  std::unique_ptr<QuantisedWeights> quantised;
};

std::vector<DecodeRequest> shortlist_requests() {
  std::vector<DecodeRequest> requests;
  for (const ToySentence& sentence : toy_sentences({{5, 1}, {1, 1}, {3, 1}, {7, 1}, {2, 1}})) {
    requests.push_back({.source = sentence.source, .id = requests.size()});
  }
  requests[2].prefix = {44, 298, 2};
  return requests;
}

std::shared_ptr<const Shortlist> whole_vocabulary() {
  Shortlist::Parts parts{.target_vocabulary = kPieces,
                         .offsets = std::vector<std::int64_t>(kPieces + 1)};
  for (std::int32_t id = 0; id < kPieces; ++id) {
    parts.always.push_back(id);
  }
  return std::make_shared<Shortlist>(parts);
}

// Each of the source ids 0 … 10 has about thirty translations of its own.
std::shared_ptr<const Shortlist> some_of_it() {
  Shortlist::Parts parts{.target_vocabulary = kPieces, .always = {0, 5}};
  for (std::int32_t source = 0; source < kPieces; ++source) {
    for (std::int32_t id = source; source < 11 && id < kPieces; id += 11) {
      parts.targets.push_back(id);
    }
    parts.offsets.push_back(static_cast<std::int64_t>(parts.targets.size()));
  }
  return std::make_shared<Shortlist>(parts);
}

DecodeOptions beam_options(std::int64_t beam) {
  DecodeOptions options;
  options.beam = options.n_best = beam;
  options.limit = {.factor = 1, .extra = 6};
  return options;
}

std::vector<std::vector<Hypothesis>> decoded(const ShortlistModel& model,
                                             const DecodeOptions& options,
                                             std::span<const DecodeRequest> requests) {
  return BatchDecoder({&model.model}, shared_backend("cpu"), options).decode(requests);
}

void expect_near(const std::vector<Hypothesis>& found, const std::vector<Hypothesis>& expected,
                 double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].ids, expected[i].ids) << "hypothesis " << i;
    EXPECT_NEAR(found[i].score, expected[i].score, tolerance) << "hypothesis " << i;
  }
}

TEST(ChosenOutputs, AreTheUnionWithAMaskForEachSentence) {
  const std::vector<Ids> lists{{1, 4}, {0, 4, 7}};
  const ChosenOutputs chosen(lists);
  EXPECT_THAT(chosen.ids(), ElementsAre(0, 1, 4, 7));
  EXPECT_EQ(chosen.size(), 4);
  EXPECT_EQ(chosen.id(3), 7);
  EXPECT_EQ(chosen.column(4), 2);
  EXPECT_EQ(chosen.column(5), -1);
  EXPECT_EQ(chosen.column(8), -1);
  EXPECT_TRUE(chosen.differ());
  EXPECT_THAT(chosen.mask(), ElementsAre(kNever, 0, 0, kNever, 0, kNever, 0, 0));
}

TEST(ChosenOutputs, NeedNoMaskWhereSentencesMaySayTheSame) {
  const std::vector<Ids> lists{{1, 4}, {1, 4}};
  const ChosenOutputs chosen(lists);
  EXPECT_FALSE(chosen.differ());
  EXPECT_THAT(chosen.mask(), IsEmpty());
}

TEST(ChosenLayer, GivesTheLogitsOfTheWhole) {
  const Ids ids{0, 3, 63, 64, 65, 130, 200, 298};
  for (const Weights weights : kAllWeights) {
    for (const bool departs : {false, true}) {
      const ShortlistModel model(weights, departs);
      Region region(shared_backend("cpu"), std::int64_t{1} << 24U);
      Context c{.region = region};
      const Tensor states = tensor_of(random_values(3 * 32, 5, -1, 1), {3, 32}, DType::f32, region);
      const ChosenLayer chosen(model.model, ids, region);
      const auto part = model.model.logits(states, chosen.layer(), c).to_vector<float>();
      const Tensor whole = model.model.logits(states, c);
      const auto all = whole.to_vector<float>();
      for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t i = 0; i < ids.size(); ++i) {
          const float expected =
              all[row * static_cast<std::size_t>(whole.cols()) + static_cast<std::size_t>(ids[i])];
          const double tolerance = weights == Weights::plain ? 1e-5 : 0;  // oneDNN adds as it likes
          EXPECT_NEAR(part[row * ids.size() + i], expected, tolerance);
        }
      }
    }
  }
}

TEST(Shortlisted, WithTheWholeVocabularyNothingChanges) {
  const std::vector<DecodeRequest> requests = shortlist_requests();
  for (const Weights weights : {Weights::packed, Weights::bytes}) {
    for (const bool departs : {false, true}) {
      const ShortlistModel model(weights, departs);
      for (const std::string& mode : beam_mode_names()) {
        for (const std::int64_t beam : {1, 4}) {
          for (const bool samples : {false, true}) {
            DecodeOptions options = beam_options(beam);
            options.mode = beam_mode(mode);
            options.sampling = {.on = samples, .top_k = beam == 1 ? 0 : 20};
            options.no_repeat_ngram = 3;
            options.min_length = 3;
            const auto expected = decoded(model, options, requests);
            options.shortlist = whole_vocabulary();
            const auto found = decoded(model, options, requests);
            for (std::size_t i = 0; i < requests.size(); ++i) {
              expect_near(found[i], expected[i], 0);
            }
          }
        }
      }
    }
  }
}

TEST(Shortlisted, GreedyWithoutScoresFindsTheSameTokens) {
  for (const Weights weights : kAllWeights) {
    const ShortlistModel model(weights);
    DecodeOptions options = beam_options(1);
    for (const auto& shortlist : {whole_vocabulary(), some_of_it()}) {
      options.shortlist = shortlist;
      options.scores = true;
      const auto expected = decoded(model, options, shortlist_requests());
      options.scores = false;
      const auto found = decoded(model, options, shortlist_requests());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].front().ids, expected[i].front().ids);
      }
    }
  }
}

// Alone, in f32 and in bytes, against a decoder that has the same ids banned before the softmax.
TEST(Shortlisted, FindsWhatIsBestWhenAllElseIsBanned) {
  const std::vector<DecodeRequest> requests = shortlist_requests();
  for (const Weights weights : kAllWeights) {
    const ShortlistModel model(weights);
    for (const std::int64_t beam : {1, 4}) {
      DecodeOptions options = beam_options(beam);
      options.shortlist = some_of_it();
      const auto together = decoded(model, options, requests);
      for (std::size_t i = 0; i < requests.size(); ++i) {
        Ids allowed = options.shortlist->candidates(requests[i].source);
        allowed.insert(allowed.end(), requests[i].prefix.begin(), requests[i].prefix.end());
        allowed.insert(allowed.end(), {0, 1});
        DecodeOptions banning = beam_options(beam);
        banning.renormalise = true;
        for (std::int32_t id = 0; id < kPieces - 1; ++id) {
          if (std::find(allowed.begin(), allowed.end(), id) == allowed.end()) {
            banning.banned.push_back(id);
          }
        }
        const auto expected = decoded(model, banning, std::span(requests).subspan(i, 1));
        expect_near(together[i], expected.front(), 1e-4);
      }
    }
  }
}

TEST(Shortlisted, DoesNotDependOnTheBatch) {
  const std::vector<DecodeRequest> requests = shortlist_requests();
  for (const Weights weights : {Weights::packed, Weights::bytes}) {
    const ShortlistModel model(weights);
    for (const bool samples : {false, true}) {
      DecodeOptions options = beam_options(3);
      options.sampling.on = samples;
      options.shortlist = some_of_it();
      const auto together = decoded(model, options, requests);
      for (std::size_t i = 0; i < requests.size(); ++i) {
        expect_near(decoded(model, options, std::span(requests).subspan(i, 1)).front(), together[i],
                    1e-4);
      }
    }
  }
}

TEST(Shortlisted, EnsemblesMayHaveOneToo) {
  const std::vector<DecodeRequest> requests = shortlist_requests();
  const ShortlistModel first(Weights::packed);
  const ShortlistModel second(Weights::packed, false, 9);
  for (const EnsembleMean mean : {EnsembleMean::probabilities, EnsembleMean::log_probabilities}) {
    DecodeOptions options = beam_options(2);
    options.ensemble = mean;
    const auto decode = [&](std::span<const DecodeRequest> part) {
      return BatchDecoder({&first.model, &second.model}, shared_backend("cpu"), options)
          .decode(part);
    };
    const auto plain = decode(requests);
    options.shortlist = whole_vocabulary();
    const auto whole = decode(requests);
    options.shortlist = some_of_it();
    const auto together = decode(requests);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      expect_near(whole[i], plain[i], 0);
      expect_near(decode(std::span(requests).subspan(i, 1)).front(), together[i], 1e-4);
      for (const std::int32_t id : together[i].front().ids) {
        const Ids list = options.shortlist->candidates(requests[i].source);
        const Ids& prefix = requests[i].prefix;
        EXPECT_TRUE(std::find(list.begin(), list.end(), id) != list.end() ||
                    std::find(prefix.begin(), prefix.end(), id) != prefix.end() || id == 1);
      }
    }
  }
}

// </s>, what is forced and prefixes need not be in the shortlist.
TEST(Shortlisted, AlwaysHasWhatIsForced) {
  const ShortlistModel model(Weights::bytes);
  DecodeOptions options = beam_options(2);
  options.first_id = 77;
  options.mode = BeamMode::huggingface;
  options.force_end = true;
  options.shortlist = std::make_shared<Shortlist>(
      Shortlist::Parts{.target_vocabulary = kPieces,
                       .offsets = std::vector<std::int64_t>(kPieces + 1),
                       .always = {9}});
  std::vector<DecodeRequest> requests = shortlist_requests();
  for (DecodeRequest& request : requests) {
    if (!request.prefix.empty()) {
      request.prefix.insert(request.prefix.begin(), options.first_id);
    }
  }
  const auto found = decoded(model, options, requests);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const Hypothesis& hypothesis : found[i]) {
      EXPECT_EQ(hypothesis.ids.front(), 77);
      EXPECT_EQ(hypothesis.ids.back(), 0);
    }
  }
  EXPECT_EQ(Ids(found[2][0].ids.begin(), found[2][0].ids.begin() + 4), requests[2].prefix);
}

TEST(Shortlisted, RefusesAShortlistOfAnotherModel) {
  const ShortlistModel model(Weights::packed);
  DecodeOptions options;
  options.shortlist =
      std::make_shared<Shortlist>(Shortlist::Parts{.target_vocabulary = 7, .offsets = {0, 0}});
  EXPECT_EQ(message_of<InvalidArgument>([&] { decoded(model, options, {}); }),
            "decode: the shortlist is of 1 source and 7 target pieces, the model has 300 and 300; "
            "make one for it by `yona shortlist`");
}

}  // namespace
}  // namespace yona::testing
