#include "yona/train/reporters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/train/event_list.h"
#include "tests/train/progress_events.h"

namespace yona {
namespace {

using ::testing::ElementsAre;

TEST(Reporters, EachHearsEveryEventInOrder) {
  testing::EventList first, second;
  Reporters all(&first);
  all.add(second);
  all.started(testing::plan());
  all.message(MessageLevel::warning, "beware");
  all.updated(testing::update(1));
  all.validated({.set = "newstest"});
  all.saved(1, "runs/a/checkpoints/step-1");
  all.finished({.updates = 1});
  EXPECT_THAT(first.events(),
              ElementsAre("started tiny", "warning beware", "updated 1", "validated newstest",
                          "saved 1 runs/a/checkpoints/step-1", "finished 1"));
  EXPECT_EQ(second.events(), first.events());
}

TEST(Reporters, OneThatComesLaterHearsWhatComesLater) {
  testing::EventList late;
  Reporters all;
  all.updated(testing::update(1));
  all.add(late);
  all.updated(testing::update(2));
  EXPECT_THAT(late.events(), ElementsAre("updated 2"));
}

}  // namespace
}  // namespace yona
