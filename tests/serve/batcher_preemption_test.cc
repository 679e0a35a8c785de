// Batches that let smaller jobs in between their steps, and what those behind a running batch are
// told.
#include <atomic>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "yona/base/timing.h"

#include "tests/serve/counting_job.h"

namespace yona {
namespace {

using serve::Batcher;
using serve::BatcherOptions;
using serve::HttpError;
using serve::Unit;
using std::chrono::milliseconds;
using testing::job;

// A batcher whose batches are preempted, as those of a model are, until `may_end` is true.
class Steps {
 public:
  explicit Steps(BatcherOptions options)
      : batcher_(options, [this](const std::vector<Unit>& batch) { run(batch, 1); }) {}

  void run(const std::vector<Unit>& batch, int depth) {
    {
      const std::scoped_lock lock(mutex_);
      began_.push_back(batch.front().job->group + std::to_string(depth));
    }
    while (!may_end && batch.front().job->group != "short") {
      batcher_.preempt([&](const std::vector<Unit>& other) { run(other, depth + 1); });
      std::this_thread::sleep_for(milliseconds(1));
    }
    const std::scoped_lock lock(mutex_);
    ended_.push_back(batch.front().job->group);
  }
  std::vector<std::string> began() {
    const std::scoped_lock lock(mutex_);
    return began_;
  }
  std::vector<std::string> ended() {
    const std::scoped_lock lock(mutex_);
    return ended_;
  }
  void await_began(std::size_t count) {
    while (began().size() < count) {
      std::this_thread::sleep_for(milliseconds(1));
    }
  }
  Batcher& batcher() { return batcher_; }

  std::atomic<bool> may_end{false};

 private:
  std::mutex mutex_;
  std::vector<std::string> began_, ended_;
  Batcher batcher_;
};

TEST(Batcher, PreemptsALargeJobForMuchSmallerOnes) {
  Steps steps({.batch_tokens = 100, .window = milliseconds(0)});
  steps.batcher().submit(job("large", {1000}));
  steps.await_began(1);
  steps.batcher().submit(job("middle", {200}));
  steps.await_began(2);
  steps.batcher().submit(job("short", {20}));
  steps.await_began(3);
  EXPECT_EQ(steps.began(), (std::vector<std::string>{"large1", "middle2", "short3"}));
  EXPECT_EQ(steps.batcher().figures().preemptions, 2U);
  steps.may_end = true;
  steps.batcher().close();
  EXPECT_EQ(steps.ended(), (std::vector<std::string>{"short", "middle", "large"}));
  EXPECT_EQ(steps.batcher().figures().batches, 3U);
  EXPECT_EQ(steps.batcher().figures().waiting_jobs, 0);
}

TEST(Batcher, DoesNotPreemptForAJobOfAboutTheSameSize) {
  Steps steps({.batch_tokens = 100, .window = milliseconds(0)});
  steps.batcher().submit(job("large", {1000}));
  steps.await_began(1);
  steps.batcher().submit(job("alike", {300}));
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_EQ(steps.began().size(), 1U);
  steps.may_end = true;
  steps.batcher().close();
  EXPECT_EQ(steps.began(), (std::vector<std::string>{"large1", "alike1"}));
}

TEST(Batcher, PreemptsAJobThatCountsAsMoreThanItsWork) {
  Steps steps({.batch_tokens = 100, .window = milliseconds(0)});
  const auto weighty = job("weighty", {100});
  weighty->preemption_weight = 4;
  steps.batcher().submit(weighty);
  steps.await_began(1);
  steps.batcher().submit(job("short", {100}));
  steps.await_began(2);
  EXPECT_EQ(steps.began(), (std::vector<std::string>{"weighty1", "short2"}));
  steps.may_end = true;
}

TEST(Batcher, PreemptsForASmallJobThatComesAfterOneThatMustWait) {
  Steps steps({.batch_tokens = 100, .window = milliseconds(0)});
  steps.batcher().submit(job("large", {1000}));
  steps.await_began(1);
  steps.batcher().submit(job("alike", {300}));
  std::this_thread::sleep_for(milliseconds(20));  // it is looked at, and waits
  for (std::size_t i = 0; i < 2; ++i) {
    steps.batcher().submit(job("short", {20}));
    steps.await_began(2 + i);
  }
  EXPECT_EQ(steps.began(), (std::vector<std::string>{"large1", "short2", "short2"}));
  steps.may_end = true;
}

TEST(Batcher, PreemptsABatchThatTurnsOutToBeLarge) {
  Batcher* self = nullptr;
  std::atomic<bool> has_preempted{false};
  Batcher batcher({.batch_tokens = 100, .window = milliseconds(0)},
                  [&](const std::vector<Unit>& batch) {
                    if (batch.front().job->group != "large") {
                      return;
                    }
                    self->submit(job("alike", {300}));
                    const auto preempted = [&](const std::vector<Unit>&) { has_preempted = true; };
                    self->preempt(preempted);
                    EXPECT_FALSE(has_preempted);
                    self->counted(1200);
                    self->preempt(preempted);
                    EXPECT_TRUE(has_preempted);
                  });
  self = &batcher;
  batcher.submit(job("large", {1000}));
  while (batcher.figures().batches < 2) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_TRUE(has_preempted);
}

TEST(Batcher, MeasuresTheTimeBetweenPlacesWhereItPreempts) {
  Batcher* self = nullptr;
  Batcher batcher({.batch_tokens = 100, .window = milliseconds(0)},
                  [&](const std::vector<Unit>& /*batch*/) {
                    self->submit(job("small", {10}));
                    self->preempt([](const std::vector<Unit>& /*small*/) {
                      std::this_thread::sleep_for(milliseconds(90));
                    });
                    self->preempt([](const std::vector<Unit>& /*small*/) {});
                    std::this_thread::sleep_for(milliseconds(60));  // after the last one
                  });
  self = &batcher;
  batcher.submit(job("large", {1000}));
  while (batcher.figures().batches < 2) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(batcher.figures().steps, 4U);  // three of the large batch, one of the small
  EXPECT_GE(batcher.figures().long_steps, 2U);
  EXPECT_GE(batcher.figures().longest_step, 0.09);
}

TEST(Batcher, LetsABatchGoOnBetweenPreemptions) {
  Steps steps({.batch_tokens = 100, .window = milliseconds(0)});
  steps.batcher().submit(job("large", {1000}));
  steps.await_began(1);
  const auto start = Clock::now();
  for (std::size_t i = 0; i < 20; ++i) {
    steps.batcher().submit(job("short", {20}));
    steps.await_began(i + 2);
  }
  EXPECT_LT(seconds_since(start), 2.0);  // 20 times at most 30 ms, and what a busy machine takes
  steps.may_end = true;
}

TEST(Batcher, Answers503ToThoseThatHaveWaitedTooLongBehindARunningBatch) {
  Steps steps({.batch_tokens = 100,
               .window = milliseconds(0),
               .longest_wait = std::chrono::duration<double>(0.1)});
  steps.batcher().submit(job("large", {1000}));
  steps.await_began(1);
  const auto alike = job("large", {1000});
  steps.batcher().submit(alike);  // the speed is not known yet: nothing can be foreseen
  const auto start = Clock::now();
  while (alike->failures == 0 && seconds_since(start) < 20) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(alike->status, 503);
  EXPECT_GE(seconds_since(start), 0.05);
  EXPECT_EQ(steps.batcher().figures().refused, 1U);
  EXPECT_EQ(steps.batcher().figures().waiting_jobs, 0);
  steps.may_end = true;
}

TEST(Batcher, ForeseesTheWaitBehindARunningBatchByItsWork) {
  Batcher batcher({.batch_tokens = 100, .window = milliseconds(0)},
                  [](const std::vector<Unit>& batch) {
                    std::this_thread::sleep_for(milliseconds(batch.front().job->total_work()));
                  });
  batcher.submit(job("a", {20}));  // 1,000 a second
  while (batcher.figures().batches == 0) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  const auto wide = job("b", {20});
  wide->work = {3000};
  batcher.submit(wide);
  while (batcher.depth() == 0) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  const auto alike = job("b", {20});
  alike->work = {3000};
  try {
    batcher.submit(alike);
    FAIL() << "it was accepted";
  } catch (const HttpError& error) {
    EXPECT_EQ(error.status, 503);
    EXPECT_GE(error.retry_after, 2);
    EXPECT_EQ(std::string(error.what()),
              "the server is overloaded; try again in " + std::to_string(error.retry_after) + " s");
  }
  EXPECT_NO_THROW(batcher.submit(job("a", {20})));  // it would preempt
}

}  // namespace
}  // namespace yona
