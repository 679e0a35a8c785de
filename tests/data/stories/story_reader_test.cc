// Files in bAbI's format: what is read, and what is refused by file and line.
#include "yona/data/stories/story_reader.h"

#include <fstream>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr const char* kTwoStories =
    "1 Mary moved to the bathroom.\n"
    "2 John went to the hallway.\n"
    "3 Where is Mary? \tbathroom\t1\n"
    "4 Daniel went back to the hallway.\n"
    "5 What is Daniel carrying?\tApple,milk\t4 2\n"
    "1 Sandra slept.\n"
    "2 Did Sandra sleep?\tyes\n";

TEST(StoryReader, ReadsStoriesAndQuestions) {
  const StoryFile file = parse_stories(kTwoStories, "qa.txt");
  ASSERT_EQ(file.questions.size(), 3U);
  const StoryQuestion& first = file.questions[0];
  ASSERT_EQ(first.sentences().size(), 2U);
  EXPECT_THAT(first.sentences()[0], ElementsAre("mary", "moved", "to", "the", "bathroom"));
  EXPECT_THAT(first.question, ElementsAre("where", "is", "mary"));
  EXPECT_EQ(first.answer, "bathroom");
  EXPECT_THAT(first.facts, ElementsAre(0));
  EXPECT_EQ(first.line, 3U);
  EXPECT_EQ(file.questions[1].sentences().size(), 3U);  // questions are no sentences
  EXPECT_EQ(file.questions[1].answer, "apple,milk");
  EXPECT_THAT(file.questions[1].facts, ElementsAre(2, 1));
  EXPECT_EQ(file.questions[2].sentences().size(), 1U);
  EXPECT_TRUE(file.questions[2].facts.empty());
}

TEST(StoryReader, FilesAreReadAsTextInMemoryIs) {
  const TempDir folder;
  std::ofstream(folder / "qa.txt") << kTwoStories;
  const StoryFile file = read_stories(folder / "qa.txt");
  EXPECT_EQ(file.questions.size(), 3U);
  EXPECT_EQ(file.questions[1].question, parse_stories(kTwoStories, "x").questions[1].question);
  EXPECT_THROW(read_stories(folder / "none.txt"), IoError);
}

// Each line of a story has all sentences above it: they are kept once, not once for each question.
TEST(StoryReader, QuestionsOfALongStoryShareItsSentences) {
  constexpr std::size_t kQuestions = 5000;
  std::string text;
  for (std::size_t i = 0; i < kQuestions; ++i) {
    text += fmt::format("{} Mary took coin {}.\n{} What has Mary?\tcoin\t{}\n", 2 * i + 1, i,
                        2 * i + 2, 2 * i + 1);
  }
  const StoryFile file = parse_stories(text + "1 Mary slept.\n2 Who slept?\tmary\t1\n", "qa.txt");
  ASSERT_EQ(file.questions.size(), kQuestions + 1);
  std::map<const void*, std::size_t> held;  // sentences of each story
  for (const StoryQuestion& question : file.questions) {
    held[question.story.get()] = question.story->size();
  }
  EXPECT_THAT(held, UnorderedElementsAre(Pair(_, kQuestions), Pair(_, 1U)));
  for (std::size_t i = 0; i < kQuestions; ++i) {
    const StoryQuestion& question = file.questions[i];
    ASSERT_EQ(question.sentences().size(), i + 1);
    ASSERT_EQ(question.sentences().back().back(), std::to_string(i));
    ASSERT_THAT(question.facts, ElementsAre(static_cast<std::int64_t>(i)));
  }
  EXPECT_EQ(file.questions.back().sentences().size(), 1U);
}

std::string refusal(const std::string& text) {
  return message_of<FormatError>([&] { parse_stories(text, "qa.txt"); });
}

TEST(StoryReader, BrokenLinesAreNamed) {
  EXPECT_THAT(refusal("1 Where is Mary?\tbathroom\n"),
              HasSubstr("qa.txt:1: the question has no sentences above it"));
  EXPECT_THAT(refusal("1 A b.\n1 Where is Mary?\tbathroom\n"), HasSubstr("qa.txt:2: the question"));
  EXPECT_THAT(refusal("Mary moved.\n"), HasSubstr("qa.txt:1: does not begin with a line number"));
  EXPECT_THAT(refusal("1 Mary moved.\n\n"), HasSubstr("qa.txt:2: does not begin with a line"));
  EXPECT_THAT(refusal("1 .\n"), HasSubstr("qa.txt:1: the sentence has no words"));
  EXPECT_THAT(refusal("1 A b.\n2 ?\tyes\t1\n"), HasSubstr("qa.txt:2: the question has no words"));
  EXPECT_THAT(refusal("1 A b.\n2 Is it?\t\t1\n"),
              HasSubstr("qa.txt:2: the question has no answer"));
  EXPECT_THAT(refusal("1 A b.\n2 Is it?\tyes\t7\n"),
              HasSubstr("qa.txt:2: '7' is not the number of a sentence above the question"));
  EXPECT_THAT(refusal("1 A b.\n"), HasSubstr("qa.txt: has no questions"));
  EXPECT_THAT(refusal(""), HasSubstr("qa.txt: has no questions"));
}

}  // namespace
}  // namespace yona::testing
