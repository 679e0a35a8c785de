// What a run makes of its configuration before it trains.

#include "yona/train/run_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

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

}  // namespace
}  // namespace yona
