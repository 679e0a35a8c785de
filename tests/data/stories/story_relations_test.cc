// Shapes on a grid: answers from coordinates of the text. Other relations are tested in
// story_tasks_test.cc.
#include "yona/data/stories/story_relations.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/data/stories/story_reader.h"

namespace yona::testing {
namespace {

// The words between "is" (or "is the red square") and the last shape: above, to the right of …
std::pair<int, int> side_of(const StoryWords& words) {
  for (const std::string& word : words) {
    if (word == "above") return {0, 1};
    if (word == "below") return {0, -1};
    if (word == "right") return {1, 0};
    if (word == "left") return {-1, 0};
  }
  return {0, 0};
}

TEST(StoryRelations, PositionsFollowFromTheText) {
  StoryWriter out(2);
  for (int i = 0; i < 100; ++i) {
    out.begin_story();
    relative_positions(out);
  }
  std::map<std::string, int> counts;
  for (const StoryQuestion& q : parse_stories(out.text(), "positions").questions) {
    int x = 0;
    int y = 0;
    for (const StoryWords& sentence : q.sentences()) {
      x += side_of(sentence).first;
      y += side_of(sentence).second;
    }
    const auto [asked_x, asked_y] = side_of(q.question);
    EXPECT_EQ(x * asked_x + y * asked_y > 0 ? "yes" : "no", q.answer);
    ++counts[q.answer];
  }
  EXPECT_GT(counts["yes"], 20);
  EXPECT_GT(counts["no"], 20);
}

}  // namespace
}  // namespace yona::testing
