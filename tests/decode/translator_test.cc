// A model trained for a moment on a tiny task: translating must agree with itself however the lines
// are batched, keep blank lines, and refuse what is too long.

#include "yona/decode/translator.h"

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/small_model.h"

namespace yona::testing {
namespace {

class TranslatorTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    small_ = std::make_unique<SmallModel>();
    lines_ = small_->lines();
    backend_ = make_backend("cpu");
    model_ = TranslationModel::load(small_->path(), *backend_);
  }
  static void TearDownTestSuite() {
    model_.reset();
    backend_.reset();
    small_.reset();
  }

  inline static std::unique_ptr<SmallModel> small_;
  inline static std::vector<std::string> lines_;
  inline static std::unique_ptr<Backend> backend_;
  inline static std::unique_ptr<TranslationModel> model_;
};

TEST_F(TranslatorTest, DoesNotDependOnHowLinesAreBatched) {
  lines_.resize(40);
  for (const std::int64_t beam : {1, 4}) {
    DecodeOptions options;
    options.beam = beam;
    Translator together({model_.get()}, *backend_, options, {.batch_tokens = 100000});
    Translator alone({model_.get()}, *backend_, options, {.batch_tokens = 1});
    const std::vector<std::string> translations = together.translate(lines_);
    EXPECT_EQ(translations, alone.translate(lines_));
    EXPECT_TRUE(std::any_of(translations.begin(), translations.end(),
                            [](const std::string& line) { return !line.empty(); }));
  }
}

TEST_F(TranslatorTest, DoesNotDependOnHowMuchIsComputedAtOnce) {
  const auto packed = TranslationModel::load(small_->path(), *backend_, Packing::yes);
  lines_.resize(40);
  DecodeOptions options;
  options.alignments = true;
  Translator all({packed.get()}, *backend_, options);
  std::vector<TranslationRequest> requests;
  for (const std::string& line : lines_) {
    requests.push_back({.text = line});
  }
  const auto expected = all.n_best(requests);
  for (const StepLimits limits :
       {StepLimits{.rows = 8}, StepLimits{.tokens = 20}, StepLimits{.positions = 400},
        StepLimits{.rows = 1, .tokens = 1, .positions = 1}}) {
    Translator parts({packed.get()}, *backend_, options, {.limits = limits});
    const auto found = parts.n_best(requests);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      EXPECT_EQ(found[i].front().text, expected[i].front().text);
      EXPECT_EQ(found[i].front().hypothesis.score, expected[i].front().hypothesis.score);
      EXPECT_EQ(hard_alignment_links(found[i].front().hypothesis.attention),
                hard_alignment_links(expected[i].front().hypothesis.attention));
    }
    EXPECT_LT(parts.kept_bytes(), all.kept_bytes());
  }
}

TEST_F(TranslatorTest, IsPreemptedBetweenLayersWithoutNoticing) {
  lines_.resize(20);
  Translator expected({model_.get()}, *backend_);
  const std::vector<std::string> translations = expected.translate(lines_);
  Translator other({model_.get()}, *backend_);
  int times = 0;
  Translator preempted({model_.get()}, *backend_, {}, {.preempt = [&](Backend& backend) {
                         EXPECT_EQ(&backend, backend_.get());
                         if (++times % 10 == 0) {
                           EXPECT_EQ(other.translate({lines_[3]}).front(), translations[3]);
                         }
                       }});
  EXPECT_EQ(preempted.translate(lines_), translations);
  EXPECT_GT(times, 20);
}

TEST_F(TranslatorTest, SaysTheSameWithPackedWeights) {
  const auto packed = TranslationModel::load(small_->path(), *backend_, Packing::yes);
  lines_.resize(40);
  Translator expected({model_.get()}, *backend_);
  Translator together({packed.get()}, *backend_, {}, {.batch_tokens = 100000});
  Translator alone({packed.get()}, *backend_, {}, {.batch_tokens = 1});
  EXPECT_EQ(together.translate(lines_), expected.translate(lines_));
  EXPECT_EQ(alone.translate(lines_), expected.translate(lines_));
}

TEST_F(TranslatorTest, KeepsBlankLinesAndOrder) {
  Translator translator({model_.get()}, *backend_);
  const auto translations = translator.translate({"", lines_[0], "", lines_[1]});
  ASSERT_EQ(translations.size(), 4U);
  EXPECT_EQ(translations[0], "");
  EXPECT_EQ(translations[2], "");
  EXPECT_EQ(translations[1], translator.translate({lines_[0]}).front());
  EXPECT_EQ(translations[3], translator.translate({lines_[1]}).front());
  EXPECT_TRUE(translator.translate({}).empty());
}

TEST_F(TranslatorTest, GivesNBestWithScoresAndPrefixes) {
  DecodeOptions options;
  options.n_best = 3;
  Translator translator({model_.get()}, *backend_, options);
  const std::vector<TranslationRequest> requests{
      {.text = lines_[0]}, {.text = ""}, {.text = lines_[1], .prefix = "sieben"}};
  const auto translations = translator.n_best(requests);
  ASSERT_EQ(translations.size(), 3U);
  ASSERT_EQ(translations[0].size(), 3U);
  EXPECT_GE(translations[0][0].hypothesis.score, translations[0][1].hypothesis.score);
  EXPECT_GE(translations[0][1].hypothesis.score, translations[0][2].hypothesis.score);
  EXPECT_EQ(translations[0][0].text, translator.translate({lines_[0]}).front());
  ASSERT_EQ(translations[1].size(), 1U);
  EXPECT_EQ(translations[1][0].text, "");
  for (const SentenceTranslation& translation : translations[2]) {
    EXPECT_EQ(translation.text.substr(0, 6), "sieben");
  }
}

TEST_F(TranslatorTest, TreatsAnEnsembleOfOneModelTwiceAsTheModel) {
  Translator single({model_.get()}, *backend_);
  const std::vector<std::string> lines(lines_.begin(), lines_.begin() + 5);
  for (const EnsembleMean mean : {EnsembleMean::probabilities, EnsembleMean::log_probabilities}) {
    DecodeOptions options;
    options.ensemble = mean;
    Translator both({model_.get(), model_.get()}, *backend_, options);
    EXPECT_EQ(both.translate(lines), single.translate(lines));
  }
}

TEST_F(TranslatorTest, SamplesTheSameLineTheSameWayWhereverItStands) {
  DecodeOptions options;
  options.sampling = {.on = true, .seed = 3};
  options.n_best = 2;
  Translator translator({model_.get()}, *backend_, options);
  const std::vector<TranslationRequest> requests{{.text = lines_[0], .id = 7},
                                                 {.text = lines_[1], .id = 8}};
  const auto both = translator.n_best(requests);
  const auto second = translator.n_best(std::span(requests).last(1));
  ASSERT_EQ(both[1].size(), 2U);
  EXPECT_EQ(both[1][0].text, second[0][0].text);
  EXPECT_EQ(both[1][1].text, second[0][1].text);
}

TEST_F(TranslatorTest, ScoresItsOwnTranslationsAsItFoundThem) {
  Translator translator({model_.get()}, *backend_, {}, {.batch_tokens = 50});
  std::vector<SentencePair> pairs;
  std::vector<double> expected;
  for (std::size_t i = 0; i < 6; ++i) {
    const std::vector<TranslationRequest> request{{.text = lines_[i]}};
    const SentenceTranslation best = translator.n_best(request)[0][0];
    // A text may have other sub-words than those that were decoded.
    if (Ids ids = translator.prefix_ids(best.text);
        (ids.push_back(0), ids) == best.hypothesis.ids) {
      pairs.push_back({lines_[i], best.text});
      expected.push_back(best.hypothesis.score);
    }
  }
  const std::vector<Hypothesis> scores = translator.score(pairs);
  ASSERT_EQ(scores.size(), expected.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_NEAR(scores[i].score, expected[i], 1e-4);
  }
  const std::vector<SentencePair> blank{{"", ""}};
  EXPECT_EQ(translator.score(blank)[0].ids, (Ids{0}));
}

TEST_F(TranslatorTest, SaysWhichLineIsTooLong) {
  Translator translator({model_.get()}, *backend_);
  std::string line;
  for (int i = 0; i < 60; ++i) {
    line += "seven ";
  }
  const std::string message = message_of<InvalidArgument>([&] {
    translator.translate({"seven", line});
  });
  EXPECT_TRUE(message.starts_with("translate: line 2 has ")) << message;
  EXPECT_TRUE(message.ends_with(" tokens, the model takes at most 40")) << message;
}

TEST_F(TranslatorTest, TellsHowMuchIsDoneAfterEachBatch) {
  std::vector<double> shares;
  Translator translator(
      {model_.get()}, *backend_, {},
      {.batch_tokens = 60, .progress = [&](double share) { shares.push_back(share); }});
  translator.translate({lines_[0], "", lines_[1], lines_[2], lines_[3]});
  EXPECT_GT(shares.size(), 1U);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.back(), 1);
  shares.clear();
  translator.score(std::vector<SentencePair>{{lines_[0], lines_[1]}});
  EXPECT_EQ(shares, std::vector<double>{1});
}

TEST_F(TranslatorTest, RefusesNoModelAndNoBatch) {
  EXPECT_EQ(message_of<InvalidArgument>([&] { Translator({}, *backend_); }),
            "translate: there is no model");
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { Translator({model_.get()}, *backend_, {}, {.batch_tokens = 0}); }),
            "translate: a batch of 0 tokens holds nothing");
}

}  // namespace
}  // namespace yona::testing
