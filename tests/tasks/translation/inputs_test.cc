// What a run makes of its configuration before it trains.

#include "yona/tasks/translation/inputs.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/decode/translator.h"
#include "yona/io/json_file.h"
#include "yona/io/model_folder.h"
#include "yona/io/weight_copy.h"

#include "tests/train/toy_run.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<CorpusSpec> corpora_with_tags(std::vector<std::string> source,
                                          std::vector<std::string> target) {
  CorpusSpec first;
  first.source_tags = std::move(source);
  first.target_tags = std::move(target);
  CorpusSpec second;
  second.source_tags = {">>fr<<"};
  return {first, second};
}

TEST(ValidationCorpus, TakesTheLanguageTagsOfTheFirstTrainingCorpusAndNoOthers) {
  const auto training = corpora_with_tags({"<BT>", ">>de<<", "<web>"}, {"<formal>", ">>de_AT<<"});
  const CorpusSpec corpus = corpus_of({.name = "news", .source = "a", .target = "b"}, training);
  EXPECT_EQ(corpus.name, "news");
  EXPECT_THAT(corpus.source_files, ElementsAre("a"));
  EXPECT_THAT(corpus.target_files, ElementsAre("b"));
  EXPECT_THAT(corpus.source_tags, ElementsAre(">>de<<"));
  EXPECT_THAT(corpus.target_tags, ElementsAre(">>de_AT<<"));
}

TEST(ValidationCorpus, TagsOfItsOwnTakeTheirPlace) {
  const auto training = corpora_with_tags({">>de<<"}, {">>de<<"});
  ValidationSet set{.name = "valid", .source = "a", .target = "b"};
  set.source_tags = {{">>fr<<", "<BT>"}};
  set.target_tags = {std::vector<std::string>()};
  EXPECT_THAT(corpus_of(set, training).source_tags, ElementsAre(">>fr<<", "<BT>"));
  EXPECT_THAT(corpus_of(set, training).target_tags, IsEmpty());
}

TEST(ValidationCorpus, HasNoTagsWhereTrainingHasNone) {
  const ValidationSet set{.name = "valid", .source = "a", .target = "b"};
  EXPECT_THAT(corpus_of(set, {}).source_tags, IsEmpty());
  EXPECT_THAT(corpus_of(set, corpora_with_tags({"<BT>"}, {})).source_tags, IsEmpty());
}

class ValidationTags : public testing::ToyRun {};

TEST_F(ValidationTags, ATagThatTheVocabularyLacksIsRefused) {
  RunConfig tagged = config();
  tagged.data.valid[0].source_tags = {{">>xx<<"}};
  EXPECT_THAT(testing::message_of<InvalidArgument>(
                  [&] { train(tagged, {.output = folder_ / "run", .init = {}, .threads = 1}); }),
              HasSubstr(">>xx<<"));
}

class InitFolder : public testing::ToyRun {
 protected:
  static std::filesystem::path fixture(const char* name) {
    return std::filesystem::path(YONA_FIXTURES) / name;
  }
  // One update that changes next to nothing.
  std::filesystem::path tuned(const std::filesystem::path& init) {
    RunConfig small = config();
    small.train.updates = 1;
    small.train.schedule.rate = 1e-12;
    train(small, {.output = folder_ / "tuned", .init = init, .threads = 1});
    return folder_ / "tuned";
  }
};

std::vector<double> scores_of(const std::filesystem::path& folder) {
  const auto backend = make_backend("cpu");
  const auto model = TranslationModel::load(folder, *backend);
  const std::vector<SentencePair> pairs{{"two red dogs", "zwei rote Hunde"}, {"fall", "fallen"}};
  std::vector<double> scores;
  for (const Hypothesis& each : Translator({model.get()}, *backend).score(pairs)) {
    scores.push_back(each.log_probability);
  }
  return scores;
}

TEST_F(InitFolder, OfMarianIsTrainedOnFromWhereItStands) {
  const std::filesystem::path init = fixture("marian_npz/spm");
  const std::vector<double> before = scores_of(init);
  const std::vector<double> after = scores_of(tuned(init));
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_NEAR(after[i], before[i], 1e-4 * std::abs(before[i]));
  }
}

TEST_F(InitFolder, OfHuggingFacesMarianStaysSuchAFolder) {
  const std::filesystem::path folder = tuned(fixture("families/marian"));
  const Json config = read_json(folder / "config.json");
  EXPECT_EQ(config["model_type"], "marian");
  const ModelInfo info = read_model_info(folder);
  EXPECT_TRUE(info.config.departures.projection_bias);
  EXPECT_EQ(info.config.departures.padding, Padding::barred);
  const auto bias_of = [](const std::filesystem::path& path) {
    const ModelFolder model(path);
    return floats_of(model.find("projection.bias").value());
  };
  const std::vector<float> before = bias_of(fixture("families/marian"));
  const std::vector<float> after = bias_of(folder);
  ASSERT_EQ(after.size(), before.size());
  EXPECT_LE(after.back(), -1e8F);  // <pad>
  for (std::size_t i = 0; i + 1 < before.size(); ++i) {
    EXPECT_NEAR(after[i], before[i], 1e-6);
  }
}

TEST_F(InitFolder, OfWordsAloneIsRefused) {
  EXPECT_THAT(testing::message_of<NotImplemented>([&] { tuned(fixture("marian_npz/words")); }),
              HasSubstr("its sub-words are not SentencePiece models"));
}

}  // namespace
}  // namespace yona
