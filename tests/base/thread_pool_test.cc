#include "yona/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <sched.h>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(ThreadPool, CallsEverySliceOnce) {
  ThreadPool pool(0);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::atomic<int>> calls(97);
    pool.run(97, [&](std::int64_t slice) { ++calls[static_cast<std::size_t>(slice)]; });
    for (const auto& count : calls) {
      ASSERT_EQ(count.load(), 1);
    }
  }
}

TEST(ThreadPool, CutsRangesOfTheGrainWithAShortLastOne) {
  ThreadPool pool(2);
  std::atomic<std::int64_t> items{0};
  std::atomic<int> short_ones{0};
  pool.run_ranges(10, 4, [&](std::int64_t begin, std::int64_t end) {
    items += end - begin;
    short_ones += end - begin < 4 ? 1 : 0;
  });
  EXPECT_EQ(items.load(), 10);
  EXPECT_EQ(short_ones.load(), 1);
}

TEST(ThreadPool, HandsTheFirstExceptionToTheCallerAndStaysUsable) {
  ThreadPool pool(2);
  EXPECT_THROW(pool.run(8,
                        [](std::int64_t slice) {
                          if (slice == 3) {
                            throw std::runtime_error("slice 3");
                          }
                        }),
               std::runtime_error);
  std::atomic<int> calls{0};
  pool.run(8, [&](std::int64_t) { ++calls; });
  EXPECT_EQ(calls.load(), 8);
}

TEST(ThreadPool, RunsANestedCallInPlace) {
  ThreadPool pool(2);
  std::atomic<int> calls{0};
  pool.run(4, [&](std::int64_t) { pool.run(4, [&](std::int64_t) { ++calls; }); });
  EXPECT_EQ(calls.load(), 16);
}

TEST(ThreadPool, NeverHasMoreThreadsThanTheProcessMayUse) {
  EXPECT_LE(ThreadPool(1000).threads(), available_cpus());
  EXPECT_GE(available_cpus(), 1);
}

TEST(ThreadPool, PinsItsThreadsWhereAskedTo) {
  const int before = available_cpus();
  ThreadPool pool(2, 0);
  std::atomic<int> most{0};
  pool.run(64, [&](std::int64_t /*slice*/) {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof(set), &set);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    most = std::max(most.load(), CPU_COUNT(&set));
  });
  std::thread([&] {
    pin_thread(1'000'003);  // counted round and round
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof(set), &set);
    EXPECT_EQ(CPU_COUNT(&set), 1);
    EXPECT_EQ(available_cpus(), before);  // of the process, not of this thread
  }).join();
  EXPECT_GE(most, 1);
}

TEST(ThreadPool, DoesNothingForNoSlices) {
  ThreadPool pool(2);
  pool.run(0, [](std::int64_t) { FAIL(); });
}

}  // namespace
}  // namespace yona
