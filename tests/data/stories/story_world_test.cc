#include "yona/data/stories/story_world.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yona::testing {
namespace {

TEST(StoryWorld, TheWriterNumbersTheLinesOfAStory) {
  StoryWriter out(1);
  EXPECT_EQ(out.say("Mary slept"), 1);
  out.ask("Did Mary sleep", "yes", {1, 1});
  out.begin_story();
  EXPECT_EQ(out.say("John slept"), 1);
  EXPECT_EQ(out.questions(), 1);
  EXPECT_EQ(out.text(), "1 Mary slept.\n2 Did Mary sleep?\tyes\t1\n1 John slept.\n");
}

TEST(StoryWorld, DifferentNumbersAreDifferent) {
  StoryWriter out(3);
  for (int i = 0; i < 20; ++i) {
    const auto numbers = out.different(3, 4);
    EXPECT_EQ(std::set<std::size_t>(numbers.begin(), numbers.end()).size(), 3U);
    EXPECT_LT(*std::max_element(numbers.begin(), numbers.end()), 4U);
  }
}

TEST(StoryWorld, WhatIsCarriedGoesWithItsCarrier) {
  StoryWriter out(5);
  StoryWorld world(out);
  for (int i = 0; i < 300; ++i) {
    world.step();
    for (std::size_t person = 0; person < kPeople.size(); ++person) {
      for (const std::size_t thing : world.carried_by(person)) {
        EXPECT_EQ(world.stays(thing).back().place, world.person(person).place);
        EXPECT_GT(world.taken(thing), 0);
      }
    }
  }
}

}  // namespace
}  // namespace yona::testing
