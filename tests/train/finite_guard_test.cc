#include "yona/train/finite_guard.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"
#include "tests/train/event_list.h"
#include "tests/train/progress_events.h"

namespace yona {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

UpdateReport lost_update(std::int64_t number) {
  UpdateReport report = testing::update(number);
  report.loss = NAN;
  report.skipped = true;
  return report;
}

TrainConfig on_nan(OnNan what) {
  TrainConfig train;
  train.on_nan = what;
  return train;
}

Checkpoint checkpoint(std::int64_t step) {
  return {step, fmt::format("runs/a/checkpoints/step-{}", step)};
}

UpdateReport update_with_loss(std::int64_t number, double loss) {
  UpdateReport report = testing::update(number);
  report.loss = loss;
  return report;
}

TEST(FiniteGuard, LetsNumbersPassInSilence) {
  testing::EventList heard;
  FiniteGuard guard(on_nan(OnNan::stop), heard);
  guard.check(testing::update(1), "batch 0");
  EXPECT_THAT(heard.events(), IsEmpty());
}

TEST(FiniteGuard, StopsNamingUpdateBatchAndLastGoodCheckpoint) {
  testing::EventList heard;
  FiniteGuard guard(on_nan(OnNan::stop), heard);
  EXPECT_THAT(testing::message_of<Error>([&] { guard.check(lost_update(1), "batch 0"); }),
              HasSubstr("there is no good checkpoint; try a lower"));
  guard.saved(checkpoint(5));
  guard.check(testing::update(6), "batch 2");
  EXPECT_THAT(
      testing::message_of<Error>([&] { guard.check(lost_update(7), "batch 3 of epoch 0"); }),
      AllOf(HasSubstr("the loss is nan"), HasSubstr("at update 7, batch 3 of epoch 0"),
            HasSubstr("the last good checkpoint is runs/a/checkpoints/step-5"),
            HasSubstr("train.clip_norm=1 or train.on_nan=skip with --resume --allow-changes")));
}

TEST(FiniteGuard, ACheckpointIsGoodWhenItsWeightsHaveGivenALossThatAModelCanHave) {
  testing::EventList heard;
  FiniteGuard guard(on_nan(OnNan::stop), heard);
  guard.saved(checkpoint(1));
  guard.check(update_with_loss(2, 9.2), "");
  EXPECT_FALSE(guard.is_lost());
  guard.saved(checkpoint(2));  // its weights may be anything
  EXPECT_EQ(guard.last_good(), checkpoint(1));
  guard.check(update_with_loss(3, 5e26), "");
  EXPECT_TRUE(guard.is_lost());
  EXPECT_EQ(guard.last_good(), checkpoint(1));
  EXPECT_THAT(testing::message_of<Error>([&] { guard.check(lost_update(4), ""); }),
              AllOf(HasSubstr("the last good checkpoint is runs/a/checkpoints/step-1;"),
                    HasSubstr("after deleting those after it")));
}

TEST(FiniteGuard, ACheckpointThatIsGoneIsNotNamed) {
  testing::EventList heard;
  FiniteGuard guard(on_nan(OnNan::stop), heard);
  guard.saved(checkpoint(1));
  guard.check(update_with_loss(2, 9.2), "");
  guard.saved(checkpoint(2));
  guard.keeps({2});
  EXPECT_THAT(testing::message_of<Error>([&] { guard.check(lost_update(3), ""); }),
              HasSubstr("there is no good checkpoint;"));
}

TEST(FiniteGuard, AdvisesNothingThatIsSetAlready) {
  testing::EventList heard;
  TrainConfig train = on_nan(OnNan::skip);
  train.clip_norm = 1;
  FiniteGuard guard(train, heard);
  for (int number = 1; number < 100; ++number) {
    guard.check(lost_update(number), "");
  }
  const std::string message =
      testing::message_of<Error>([&] { guard.check(lost_update(100), ""); });
  EXPECT_THAT(message, HasSubstr("try a lower train.learning_rate"));
  EXPECT_THAT(message, Not(HasSubstr("clip_norm")));
  EXPECT_THAT(message, Not(HasSubstr("on_nan")));
}

TEST(FiniteGuard, SkipsSuchUpdatesButNotAHundredInARow) {
  testing::EventList heard;
  FiniteGuard guard(on_nan(OnNan::skip), heard);
  for (int round = 0; round < 3; ++round) {
    for (int number = 1; number < 100; ++number) {
      guard.check(lost_update(number), "batch 0");
    }
    guard.check(testing::update(100), "batch 0");  // a good one: counting starts again
  }
  EXPECT_THAT(heard.events(), SizeIs(3 * 99));
  EXPECT_THAT(heard.events().front(),
              AllOf(HasSubstr("warning the loss is nan"), HasSubstr("the update is left out")));
  for (int number = 1; number < 100; ++number) {
    guard.check(lost_update(number), "batch 0");
  }
  EXPECT_THROW(guard.check(lost_update(100), "batch 0"), Error);
}

}  // namespace
}  // namespace yona
