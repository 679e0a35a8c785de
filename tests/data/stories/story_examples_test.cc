// Questions as batches, and words that a model does not know.
#include "yona/data/stories/story_examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const StoryFile& small_file() {
  static const StoryFile file =
      parse_stories("1 A b.\n2 C.\n3 B?\ty\t1\n1 C a b.\n2 A c?\tx\t1\n", "qa.txt");
  return file;
}

TEST(StoryExamples, BatchesHaveWordsLengthsQuestionsAndAnswers) {
  const StoryVocabulary vocabulary = StoryVocabulary::of({small_file()});
  EXPECT_THAT(vocabulary.words(), ElementsAre("a", "b", "c", "x", "y"));
  const StoryExamples examples({small_file(), small_file()}, vocabulary, 10);
  EXPECT_EQ(examples.count(), 4U);
  EXPECT_EQ(examples.parts().size(), 2U);
  EXPECT_EQ(examples.lengths(0), (Examples::Lengths{3, 2, 1, 1}));
  Batch batch;
  examples.fill(std::vector<std::uint32_t>{3, 0}, 0, {}, batch);
  EXPECT_THAT(batch.sides[kStoryWords].ids, ElementsAre(2, 0, 1, 0, 1, 2));
  EXPECT_THAT(batch.sides[kStorySentences].ids, ElementsAre(3, 2, 1));
  EXPECT_THAT(batch.sides[kStorySentences].offsets, ElementsAre(0, 1, 3));
  EXPECT_THAT(batch.sides[kStoryQuestion].ids, ElementsAre(0, 2, 1));
  EXPECT_THAT(batch.sides[kStoryAnswer].ids, ElementsAre(3, 4));
  EXPECT_THAT(batch.example_ids, ElementsAre(example_id(1, 1), example_id(0, 0)));
}

TEST(StoryExamples, LongStoriesKeepTheirLastSentences) {
  const StoryExamples examples({small_file()}, StoryVocabulary::of({small_file()}), 1);
  EXPECT_EQ(examples.cut_stories(), 1);
  Batch batch;
  examples.fill(std::vector<std::uint32_t>{0}, 0, {}, batch);
  EXPECT_THAT(batch.sides[kStoryWords].ids, ElementsAre(2));
}

TEST(StoryExamples, AVocabularyHasTheWordsOfAllSentencesThatAQuestionFollows) {
  const StoryFile file = parse_stories(
      "1 A b.\n2 B?\tx\t1\n3 C.\n4 B?\tx\t1\n5 Unasked.\n1 D.\n2 D?\tx\t1\n", "qa.txt");
  EXPECT_THAT(StoryVocabulary::of({file}).words(), ElementsAre("a", "b", "c", "d", "x"));
}

TEST(StoryExamples, AnUnknownWordIsNamed) {
  const StoryVocabulary vocabulary = StoryVocabulary::of({small_file()});
  const StoryFile other = parse_stories("1 A b.\n2 Who?\ty\t1\n", "valid.txt");
  EXPECT_THAT(message_of<FormatError>([&] { StoryExamples({other}, vocabulary, 5); }),
              HasSubstr("valid.txt:2: the word 'who' of this question or its story is not in the "
                        "training files"));
  EXPECT_THAT(message_of<InvalidArgument>([] {
                StoryVocabulary({"a", "a"});
              }),
              HasSubstr("the word 'a' twice"));
}

}  // namespace
}  // namespace yona::testing
