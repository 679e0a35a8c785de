#include "yona/serve/batcher.h"

#include <future>
#include <semaphore>

#include <gtest/gtest.h>

#include "tests/serve/counting_job.h"

namespace yona {
namespace {

using serve::Batcher;
using serve::BatcherOptions;
using serve::HttpError;
using serve::Unit;
using std::chrono::milliseconds;
using testing::CountingJob;
using testing::job;

// A batcher whose batches wait until the test lets them go on.
class Gate {
 public:
  explicit Gate(BatcherOptions options)
      : batcher_(options, [this](const std::vector<Unit>& batch) {
          began_.release();
          may_end_.acquire();
          const std::scoped_lock lock(mutex_);
          batches_.push_back(batch);
        }) {}
  ~Gate() {
    for (int i = 0; i < 1000; ++i) {
      may_end_.release();
    }
  }

  Batcher& batcher() { return batcher_; }
  void await_begin() { began_.acquire(); }
  void let_end() { may_end_.release(); }
  std::vector<std::vector<Unit>> batches() {
    const std::scoped_lock lock(mutex_);
    return batches_;
  }

 private:
  std::counting_semaphore<100000> began_{0}, may_end_{0};
  std::mutex mutex_;
  std::vector<std::vector<Unit>> batches_;
  Batcher batcher_;
};

TEST(Batcher, JoinsTheSentencesOfSeveralJobs) {
  Gate gate({.batch_tokens = 100, .window = milliseconds(0)});
  gate.batcher().submit(job("a", {10}));
  gate.await_begin();
  const auto first = job("a", {10, 10});
  const auto second = job("a", {10});
  gate.batcher().submit(first);
  gate.batcher().submit(second);
  gate.let_end();
  gate.await_begin();
  gate.let_end();
  gate.batcher().close();
  const auto batches = gate.batches();
  ASSERT_EQ(batches.size(), 2U);
  EXPECT_EQ(batches[1].size(), 3U);
  EXPECT_EQ(gate.batcher().figures().sentences, 4U);
  EXPECT_EQ(gate.batcher().figures().waiting_tokens, 0);
}

TEST(Batcher, DoesNotComputeTheRestOfAJobThatHasFailed) {
  std::atomic<std::size_t> computed = 0;
  Batcher batcher({.batch_tokens = 10, .window = milliseconds(0)},
                  [&](const std::vector<Unit>& batch) {
                    computed += batch.size();
                    batch.front().job->fail(std::make_exception_ptr(HttpError(400, "wrong")));
                  });
  const auto wrong = job("a", {10, 10, 10});
  batcher.submit(wrong);
  batcher.close();
  EXPECT_EQ(computed, 1U);
  EXPECT_EQ(wrong->failures, 1);
  EXPECT_EQ(batcher.figures().waiting_jobs, 0);
  EXPECT_EQ(batcher.figures().waiting_tokens, 0);
}

TEST(Batcher, WaitsAMomentForOthersToJoin) {
  std::promise<std::size_t> size;
  Batcher batcher({.batch_tokens = 100, .window = milliseconds(300)},
                  [&](const std::vector<Unit>& batch) { size.set_value(batch.size()); });
  batcher.submit(job("a", {10}));
  std::this_thread::sleep_for(milliseconds(20));
  batcher.submit(job("a", {10}));
  EXPECT_EQ(size.get_future().get(), 2U);
}

TEST(Batcher, DoesNotWaitWhenABatchIsFull) {
  std::promise<void> ran;
  Batcher batcher({.batch_tokens = 10, .window = std::chrono::seconds(60)},
                  [&](const std::vector<Unit>&) { ran.set_value(); });
  batcher.submit(job("a", {10}));
  EXPECT_EQ(ran.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
}

TEST(Batcher, KeepsGroupsApartAndTheirOrder) {
  Gate gate({.batch_tokens = 100, .window = milliseconds(0)});
  gate.batcher().submit(job("a", {1}));
  gate.await_begin();
  gate.batcher().submit(job("b", {1}));
  gate.batcher().submit(job("a", {1}));
  gate.batcher().submit(job("b", {1}));
  for (int i = 0; i < 3; ++i) {
    gate.let_end();
  }
  gate.batcher().close();
  const auto batches = gate.batches();
  ASSERT_EQ(batches.size(), 3U);
  EXPECT_EQ(batches[1].size(), 2U);
  EXPECT_EQ(batches[1][0].job->group, "b");
  EXPECT_EQ(batches[2][0].job->group, "a");
}

TEST(Batcher, GivesAShareToEveryJobAndHalfToTheOldest) {
  Gate gate({.batch_tokens = 100, .window = milliseconds(0)});
  gate.batcher().submit(job("a", {1}));
  gate.await_begin();
  const auto document = job("a", std::vector<std::int64_t>(12, 10));
  const auto note = job("a", {10, 10, 10, 10});
  gate.batcher().submit(document);
  gate.batcher().submit(note);
  gate.let_end();
  gate.await_begin();
  gate.let_end();
  while (gate.batches().size() < 2) {
    std::this_thread::yield();
  }
  const auto second = gate.batches()[1];
  EXPECT_EQ(second.size(), 10U);
  EXPECT_EQ(std::count_if(second.begin(), second.end(),
                          [&](const Unit& unit) { return unit.job == note; }),
            2);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(second[i].job, document);
    EXPECT_EQ(second[i].sentence, i);
  }
}

// Lengths of the sentences of a batch.
std::vector<std::int64_t> lengths_of(const std::vector<Unit>& batch) {
  std::vector<std::int64_t> lengths;
  for (const Unit& unit : batch) {
    lengths.push_back(unit.job->tokens[unit.sentence]);
  }
  return lengths;
}

TEST(Batcher, JoinsSentencesOfAboutTheLengthOfWhoeverHasWaitedLongest) {
  Gate gate({.batch_tokens = 100, .window = milliseconds(0)});
  gate.batcher().submit(job("a", {1}));
  gate.await_begin();
  for (const std::int64_t length : {25, 5, 24, 50, 6, 26, 5, 25, 90}) {
    gate.batcher().submit(job("a", {length}));
  }
  for (int i = 0; i < 10; ++i) {
    gate.let_end();
  }
  gate.batcher().close();
  const auto batches = gate.batches();
  ASSERT_EQ(batches.size(), 5U);
  EXPECT_EQ(lengths_of(batches[1]), (std::vector<std::int64_t>{25, 24, 25}));
  EXPECT_EQ(lengths_of(batches[2]), (std::vector<std::int64_t>{5, 6, 5}));
}

TEST(Batcher, ServesOthersBetweenTheBatchesOfADocument) {
  Gate gate({.batch_tokens = 100,
             .window = milliseconds(0),
             .longest_wait = std::chrono::duration<double>(1e6)});
  gate.batcher().submit(job("a", {1}));
  gate.await_begin();
  const auto document = job("a", std::vector<std::int64_t>(500, 20));
  gate.batcher().submit(document);
  gate.let_end();
  gate.await_begin();  // the document's first batch
  const auto note = job("a", {3});
  const auto other = job("b", {20});
  gate.batcher().submit(note);
  gate.batcher().submit(other);
  for (int i = 0; i < 3; ++i) {
    gate.let_end();
  }
  while (gate.batches().size() < 4) {
    std::this_thread::yield();
  }
  const auto batches = gate.batches();
  EXPECT_EQ(batches[2].front().job, note);
  EXPECT_EQ(batches[3].front().job, other);
  EXPECT_EQ(lengths_of(batches[2]), (std::vector<std::int64_t>{3}));  // not as long as a document
}

TEST(Batcher, TakesASentenceThatIsLargerThanABatch) {
  Gate gate({.batch_tokens = 10, .window = milliseconds(0)});
  gate.let_end();
  gate.batcher().submit(job("a", {1000}));
  gate.batcher().close();
  EXPECT_EQ(gate.batches().size(), 1U);
}

TEST(Batcher, RefusesWhatDoesNotFitIntoTheQueue) {
  Gate gate({.batch_tokens = 10, .window = milliseconds(0), .queue_tokens = 100});
  gate.batcher().submit(job("a", {10}));
  gate.await_begin();
  EXPECT_FALSE(gate.batcher().is_full());
  gate.batcher().submit(job("a", {90}));
  try {
    gate.batcher().submit(job("a", {20}));
    FAIL() << "it was accepted";
  } catch (const HttpError& error) {
    EXPECT_EQ(error.status, 503);
    EXPECT_GE(error.retry_after, 1);
  }
  gate.batcher().submit(job("a", {10}));
  EXPECT_TRUE(gate.batcher().is_full());
  EXPECT_EQ(gate.batcher().figures().refused, 1U);
}

TEST(Batcher, AcceptsALargeJobWhereNothingWaits) {
  Gate gate({.batch_tokens = 10, .window = milliseconds(0), .queue_tokens = 100});
  EXPECT_NO_THROW(gate.batcher().submit(job("a", {1000})));
}

TEST(Batcher, RefusesWhatWouldWaitTooLong) {
  Batcher batcher({.batch_tokens = 10,
                   .window = milliseconds(0),
                   .longest_wait = std::chrono::duration<double>(0.2)},
                  [](const std::vector<Unit>&) { std::this_thread::sleep_for(milliseconds(50)); });
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 200; ++i) {  // 10 tokens in 50 ms: four of them are 0.2 s
    try {
      batcher.submit(job("a", {10}));
      ++accepted;
    } catch (const HttpError&) {
      ++refused;
    }
    std::this_thread::sleep_for(milliseconds(2));
  }
  EXPECT_GT(refused, 100);
  EXPECT_GE(accepted, 4);
}

TEST(Batcher, AcceptsSmallJobsBesideADocumentButNoOther) {
  Batcher batcher({.batch_tokens = 10,
                   .window = milliseconds(0),
                   .longest_wait = std::chrono::duration<double>(2)},
                  [](const std::vector<Unit>&) { std::this_thread::sleep_for(milliseconds(10)); });
  batcher.submit(job("a", {10}));
  while (batcher.figures().batches == 0) {  // the speed is known: 1,000 tokens a second at most
    std::this_thread::sleep_for(milliseconds(1));
  }
  const auto gone = std::make_shared<std::atomic<bool>>(false);
  const auto document = job("a", std::vector<std::int64_t>(2000, 10));
  document->gone = gone;
  batcher.submit(document);
  EXPECT_NO_THROW(batcher.submit(job("a", {10})));
  EXPECT_FALSE(batcher.is_full());
  EXPECT_THROW(batcher.submit(job("a", std::vector<std::int64_t>(2000, 10))), HttpError);
  gone->store(true);
}

TEST(Batcher, DropsThoseWhoHaveGoneOrAreLate) {
  Gate gate({.batch_tokens = 10, .window = milliseconds(0)});
  gate.batcher().submit(job("a", {10}));
  gate.await_begin();
  const auto gone_flag = std::make_shared<std::atomic<bool>>(false);
  const auto gone = job("a", {10});
  gone->gone = gone_flag;
  const auto late = job("a", {10});
  late->deadline = Clock::now();
  const auto good = job("a", {10});
  gate.batcher().submit(gone);
  gate.batcher().submit(late);
  gate.batcher().submit(good);
  gone_flag->store(true);
  for (int i = 0; i < 4; ++i) {
    gate.let_end();
  }
  gate.batcher().close();
  EXPECT_EQ(gate.batches().size(), 2U);
  EXPECT_EQ(gone->failures, 1);
  EXPECT_EQ(gone->status, 499);
  EXPECT_EQ(late->failures, 1);
  EXPECT_EQ(late->status, 504);
  EXPECT_EQ(good->failures, 0);
  EXPECT_EQ(gate.batcher().figures().gone, 1U);
  EXPECT_EQ(gate.batcher().figures().late, 1U);
}

TEST(Batcher, TakesAnotherRoundFirst) {
  std::vector<std::size_t> sizes;
  Batcher* self = nullptr;
  std::promise<void> may_begin;
  Batcher batcher({.batch_tokens = 10, .window = milliseconds(0)},
                  [&](const std::vector<Unit>& batch) {
                    if (sizes.empty()) {
                      may_begin.get_future().wait();
                      self->again(batch.front());
                    }
                    sizes.push_back(batch.front().job->tokens.size());
                  });
  self = &batcher;
  batcher.submit(job("a", {10}));
  batcher.submit(job("b", {10, 10}));
  may_begin.set_value();
  batcher.close();
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 1, 2, 2}));
}

TEST(Batcher, MakesABatchOfNoMoreWorkThanAllowed) {
  Gate gate({.batch_tokens = 1000, .batch_work = 100, .window = milliseconds(0)});
  gate.batcher().submit(job("a", {1}));
  gate.await_begin();
  const auto wide = job("b", std::vector<std::int64_t>(10, 5));
  wide->work.assign(10, 40);
  gate.batcher().submit(wide);
  for (int i = 0; i < 10; ++i) {
    gate.let_end();
  }
  gate.batcher().close();
  EXPECT_EQ(gate.batches()[1].size(), 2U);
}

TEST(Batcher, LetsJobsWaitWhileAModelIsLoaded) {
  std::atomic<int> runs{0};
  Batcher* self = nullptr;
  std::promise<void> is_there;
  Batcher batcher({.batch_tokens = 10,
                   .window = milliseconds(0),
                   .longest_wait = std::chrono::duration<double>(0.1)},
                  [&](const std::vector<Unit>&) {
                    if (runs++ == 0) {
                      is_there.get_future().wait();
                      self->loads();
                      for (int i = 0; i < 30; ++i) {
                        self->preempt([](const std::vector<Unit>&) {});
                        std::this_thread::sleep_for(milliseconds(10));
                      }
                    }
                  });
  self = &batcher;
  is_there.set_value();
  std::vector<std::shared_ptr<CountingJob>> jobs;
  for (int i = 0; i < 20; ++i) {
    jobs.push_back(job("a", {10}));
    EXPECT_NO_THROW(batcher.submit(jobs.back()));
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_FALSE(batcher.is_full());
  batcher.close();
  EXPECT_EQ(runs, 20);
  for (const auto& one : jobs) {
    EXPECT_EQ(one->failures, 0);
  }
}

TEST(Batcher, SaysWhenNothingHasComeForAWhile) {
  std::promise<void> idle;
  Batcher batcher(
      {.window = milliseconds(0)}, [](const std::vector<Unit>&) {}, [&] { idle.set_value(); });
  batcher.submit(job("a", {10}));
  EXPECT_EQ(idle.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
}

TEST(Batcher, FinishesWhatItAcceptedWhenClosed) {
  std::atomic<std::size_t> sentences{0};
  Batcher batcher({.batch_tokens = 10, .window = std::chrono::seconds(60)},
                  [&](const std::vector<Unit>& batch) { sentences += batch.size(); });
  for (int i = 0; i < 100; ++i) {
    batcher.submit(job("a", {3, 3}));
  }
  batcher.close();
  EXPECT_EQ(sentences, 200U);
  EXPECT_THROW(batcher.submit(job("a", {1})), HttpError);
}

TEST(Batcher, LosesNothingWithManySenders) {
  std::atomic<std::size_t> sentences{0};
  Batcher batcher({.batch_tokens = 64, .window = std::chrono::microseconds(200)},
                  [&](const std::vector<Unit>& batch) { sentences += batch.size(); });
  std::vector<std::thread> senders;
  for (int s = 0; s < 8; ++s) {
    senders.emplace_back([&, s] {
      for (int i = 0; i < 200; ++i) {
        batcher.submit(job(s % 2 == 0 ? "a" : "b", {1, 2, 3}));
      }
    });
  }
  for (std::thread& sender : senders) {
    sender.join();
  }
  batcher.close();
  EXPECT_EQ(sentences, 8U * 200 * 3);
}

}  // namespace
}  // namespace yona
