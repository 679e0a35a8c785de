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
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

UpdateReport lost_update(std::int64_t number) {
  UpdateReport report = testing::update(number);
  report.loss = NAN;
  report.skipped = true;
  return report;
}

TEST(FiniteGuard, LetsNumbersPassInSilence) {
  testing::EventList heard;
  FiniteGuard guard(OnNan::stop, heard);
  guard.check(testing::update(1), "batch 0", "");
  EXPECT_THAT(heard.events(), IsEmpty());
}

TEST(FiniteGuard, StopsNamingUpdateBatchAndLastGoodCheckpoint) {
  testing::EventList heard;
  FiniteGuard guard(OnNan::stop, heard);
  EXPECT_THAT(testing::message_of<Error>([&] {
                guard.check(lost_update(7), "batch 3 of epoch 0", "runs/a/checkpoints/step-5");
              }),
              AllOf(HasSubstr("the loss is nan"), HasSubstr("at update 7, batch 3 of epoch 0"),
                    HasSubstr("the last good checkpoint is runs/a/checkpoints/step-5"),
                    HasSubstr("train.on_nan=skip")));
  EXPECT_THAT(testing::message_of<Error>([&] { guard.check(lost_update(1), "batch 0", ""); }),
              HasSubstr("no checkpoint has been saved yet"));
}

TEST(FiniteGuard, SkipsSuchUpdatesButNotAHundredInARow) {
  testing::EventList heard;
  FiniteGuard guard(OnNan::skip, heard);
  for (int round = 0; round < 3; ++round) {
    for (int number = 1; number < 100; ++number) {
      guard.check(lost_update(number), "batch 0", "");
    }
    guard.check(testing::update(100), "batch 0", "");  // a good one: counting begins anew
  }
  EXPECT_THAT(heard.events(), SizeIs(3 * 99));
  EXPECT_THAT(heard.events().front(),
              AllOf(HasSubstr("warning the loss is nan"), HasSubstr("the update is left out")));
  for (int number = 1; number < 100; ++number) {
    guard.check(lost_update(number), "batch 0", "");
  }
  EXPECT_THROW(guard.check(lost_update(100), "batch 0", ""), Error);
}

}  // namespace
}  // namespace yona
