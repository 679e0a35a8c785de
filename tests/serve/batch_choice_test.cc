#include "yona/serve/batch_choice.h"

#include <limits>

#include <gtest/gtest.h>

namespace yona::serve {
namespace {

constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();

class SilentJob : public Job {
 public:
  explicit SilentJob(std::vector<std::int64_t> lengths) { tokens = std::move(lengths); }
  void fail(const std::exception_ptr& /*error*/) override {}
};

// A job of these sentences, which came and was last served so many seconds after the first.
WaitingJob waiting_job(const std::vector<std::int64_t>& lengths, int served) {
  auto job = std::make_shared<SilentJob>(lengths);
  const std::int64_t work = job->total_work();
  const Clock::time_point when = Clock::time_point{} + std::chrono::seconds(served);
  std::vector<std::size_t> left(lengths.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    left[i] = i;
  }
  return {job, left, work, work, work, when, when};
}

// Job and sentence of each.
std::vector<std::pair<std::size_t, std::size_t>> places(WaitingGroup& group, std::int64_t most_work,
                                                        const BatchLimits& limits) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (const BatchCandidate& candidate : chosen_batch(group, most_work, limits)) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (&group[i] == candidate.waiting) {
        found.emplace_back(i, candidate.place);
      }
    }
  }
  return found;
}

using Places = std::vector<std::pair<std::size_t, std::size_t>>;

TEST(BatchChoice, ABatchBeginsWithTheJobThatWasServedLongestAgo) {
  WaitingGroup group{waiting_job({10, 10}, 2), waiting_job({10, 10}, 1)};
  EXPECT_EQ(longest_unserved(group, kAny), group.begin() + 1);
  EXPECT_EQ(places(group, kAny, {.tokens = 10}), (Places{{1, 0}}));
}

TEST(BatchChoice, OnlyJobsOfAtMostSoMuchWorkAreTaken) {
  WaitingGroup group{waiting_job({40}, 1), waiting_job({10}, 2)};
  EXPECT_EQ(longest_unserved(group, 20), group.begin() + 1);
  EXPECT_EQ(longest_unserved(group, 5), group.end());
  EXPECT_EQ(places(group, 20, {.tokens = 100}), (Places{{1, 0}}));
}

TEST(BatchChoice, SentencesOfTheSameLengthJoinTheFirst) {
  WaitingGroup group{waiting_job({10, 30, 10}, 1), waiting_job({11, 20}, 2)};
  EXPECT_EQ(places(group, kAny, {.tokens = 33}), (Places{{0, 0}, {0, 2}, {1, 0}}));
}

TEST(BatchChoice, WorkBoundsABatchOfSeveralSentences) {
  WaitingGroup group{waiting_job({10, 10, 10}, 1)};
  EXPECT_EQ(places(group, kAny, {.tokens = 100, .work = 20}).size(), 2U);
  EXPECT_EQ(places(group, kAny, {.tokens = 100, .work = 5}).size(), 1U);
}

TEST(BatchChoice, JobsOfWhichOneMayPreemptTheOtherDoNotShareABatch) {
  EXPECT_TRUE(preempts(10, 40));
  EXPECT_FALSE(preempts(11, 40));
  WaitingGroup group{waiting_job({40}, 1), waiting_job({10}, 2), waiting_job({20}, 3)};
  EXPECT_EQ(places(group, kAny, {.tokens = 1000}), (Places{{0, 0}, {2, 0}}));
}

}  // namespace
}  // namespace yona::serve
