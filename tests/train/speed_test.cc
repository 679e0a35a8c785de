#include "yona/train/speed.h"

#include <gtest/gtest.h>

#include "yona/tasks/task_kind.h"

#include "tests/train/toy_run.h"

namespace yona {
namespace {

using SpeedOfARun = ::yona::testing::ToyRun;

TEST_F(SpeedOfARun, IsTheMeanOfTheUpdatesAfterTheFirst) {
  const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
  Reporter reporter;
  std::filesystem::create_directories(folder_ / "run");
  const RunConfig settings = config();
  const std::unique_ptr<Task> task = task_kind("translation")
                                         .make(settings, {.output = folder_ / "run",
                                                          .init = {},
                                                          .checkpoint = {},
                                                          .backend = *backend,
                                                          .reporter = reporter});
  double now = 0;
  const auto examples = task->open_training();
  const Speed speed = measure_speed(*task, examples, settings.train, *backend, 2.0, [&] {
    const double before = now;
    now += 0.5;
    return before;
  });
  EXPECT_DOUBLE_EQ(speed.seconds_per_update, 0.5);
  EXPECT_EQ(now, 2.5);  // asked once before the first and after each of four
  EXPECT_GT(speed.updates_per_pass, 5);
}

}  // namespace
}  // namespace yona
