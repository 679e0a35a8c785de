#include "yona/train/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/train/progress_events.h"

namespace yona {
namespace {

using testing::plan;
using testing::update;

TEST(MakeReporter, MakesOneForEveryStyle) {
  for (const ProgressStyle style :
       {ProgressStyle::bar, ProgressStyle::plain, ProgressStyle::quiet, ProgressStyle::json}) {
    EXPECT_NE(make_reporter(style, 10), nullptr);
  }
}

TEST(MakeReporter, QuietStillWarns) {
  const auto quiet = make_reporter(ProgressStyle::quiet, 10);
  ::testing::internal::CaptureStderr();
  quiet->started(plan());
  quiet->updated(update(10));
  quiet->message(MessageLevel::info, "fine");
  quiet->message(MessageLevel::warning, "odd");
  quiet->finished({});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "warning: odd\n");
}

}  // namespace
}  // namespace yona
