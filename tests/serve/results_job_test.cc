#include "yona/serve/results_job.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace yona::testing {
namespace {

class Numbers : public serve::ResultsJob<int> {
 public:
  std::size_t size() const override { return 3; }
};

TEST(ResultsJob, IsDoneWithItsLastResult) {
  Numbers job;
  std::vector<int> got;
  job.done = [&](std::vector<int> results) { got = std::move(results); };
  job.finish(2, 30);
  job.finish(0, 10);
  job.finish(0, 99);  // the first one counts
  EXPECT_FALSE(job.is_over());
  job.finish(1, 20);
  EXPECT_TRUE(job.is_over());
  EXPECT_EQ(got, (std::vector<int>{10, 20, 30}));
}

TEST(ResultsJob, FailsOnceAndNotAfterItIsDone) {
  Numbers job;
  int failures = 0;
  job.done = [](const std::vector<int>&) { FAIL(); };
  job.failed = [&](const std::exception_ptr&) { ++failures; };
  job.fail(nullptr);
  job.fail(nullptr);
  for (std::size_t i = 0; i < 3; ++i) {
    job.finish(i, 1);
  }
  EXPECT_EQ(failures, 1);
  EXPECT_TRUE(job.has_failed());
}

TEST(ResultsJob, SaysThatAnAnswerCouldNotBeMade) {
  Numbers job;
  bool has_heard = false;
  job.done = [](const std::vector<int>&) { throw std::runtime_error("no memory"); };
  job.failed = [&](const std::exception_ptr&) { has_heard = true; };
  for (std::size_t i = 0; i < 3; ++i) {
    job.finish(i, 1);
  }
  EXPECT_TRUE(has_heard);
}

}  // namespace
}  // namespace yona::testing
