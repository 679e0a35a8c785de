#include "yona/tensor/tape.h"

#include <array>
#include <memory>
#include <stdexcept>

#include <gtest/gtest.h>

namespace yona::testing {
namespace {

TEST(Tape, RunsFromTheLastToTheFirst) {
  Tape tape;
  std::vector<int> order;
  for (int i = 0; i < 5; ++i) {
    tape.record([i, &order] { order.push_back(i); });
  }
  EXPECT_EQ(tape.size(), 5U);
  EXPECT_TRUE(order.empty());
  tape.backward();
  EXPECT_EQ(order, (std::vector<int>{4, 3, 2, 1, 0}));
  EXPECT_EQ(tape.size(), 0U);
  tape.backward();  // nothing is left to run
  EXPECT_EQ(order.size(), 5U);
}

TEST(Tape, RunsOneStepAtATime) {
  Tape tape;
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) {
    tape.record([i, &order] { order.push_back(i); });
  }
  EXPECT_TRUE(tape.step());
  EXPECT_EQ(order, std::vector<int>{2});
  EXPECT_EQ(tape.size(), 2U);
  EXPECT_TRUE(tape.step());
  EXPECT_TRUE(tape.step());
  EXPECT_FALSE(tape.step());
  EXPECT_EQ(order, (std::vector<int>{2, 1, 0}));
}

TEST(Tape, LetsGoOfWhatAnOpSavedAsSoonAsItRan) {
  Tape tape;
  const auto first = std::make_shared<int>(1);
  const auto second = std::make_shared<int>(2);
  tape.record([&second, first] { EXPECT_EQ(second.use_count(), 1); });
  tape.record([second] {});
  EXPECT_EQ(second.use_count(), 2);
  tape.backward();
  EXPECT_EQ(first.use_count(), 1);
}

TEST(Tape, ForgetsWithoutRunning) {
  const auto held = std::make_shared<int>(1);
  int runs = 0;
  Tape tape;
  tape.record([held, &runs] { ++runs; });
  tape.clear();
  EXPECT_EQ(held.use_count(), 1);
  {
    Tape dropped;
    dropped.record([held, &runs] { ++runs; });
  }
  EXPECT_EQ(held.use_count(), 1);
  tape.backward();
  EXPECT_EQ(runs, 0);
}

TEST(Tape, HoldsManyAndLargeClosures) {
  Tape tape;
  std::int64_t sum = 0;
  for (int step = 0; step < 3; ++step) {  // the chunks are used again
    sum = 0;
    for (std::int64_t i = 0; i < 1000; ++i) {
      std::array<std::int64_t, 100> data{};
      data.fill(i);
      tape.record([data, &sum] { sum += data[0] + data[99]; });
    }
    std::array<std::int64_t, 8000> largest{};  // nearly a chunk
    largest.back() = 7;
    tape.record([largest, &sum] { sum += largest.back(); });
    tape.backward();
    EXPECT_EQ(sum, 999'000 + 7);
  }
}

TEST(Tape, StaysUsableAfterAnException) {
  Tape tape;
  const auto held = std::make_shared<int>(1);
  int runs = 0;
  tape.record([held, &runs] { ++runs; });
  tape.record([held] { throw std::runtime_error("kernel"); });
  tape.record([held, &runs] { ++runs; });
  EXPECT_THROW(tape.backward(), std::runtime_error);
  EXPECT_EQ(runs, 1);
  tape.clear();
  EXPECT_EQ(held.use_count(), 1);
  tape.record([&runs] { ++runs; });
  tape.backward();
  EXPECT_EQ(runs, 2);
}

}  // namespace
}  // namespace yona::testing
