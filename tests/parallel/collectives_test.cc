#include "yona/parallel/collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/thread_ranks.h"

namespace yona {
namespace {

using ::testing::ElementsAre;

TEST(Collectives, GatherTextsOfDifferentLengths) {
  run_ranks(3, [](Communicator& ranks) {
    const std::string mine(static_cast<std::size_t>(ranks.rank()), 'x');
    EXPECT_THAT(gather_texts(ranks, mine), ElementsAre("", "x", "xx"));
  });
}

TEST(Collectives, BroadcastTheTextOfTheFirst) {
  run_ranks(3, [](Communicator& ranks) {
    EXPECT_EQ(broadcast_text(ranks, ranks.rank() == 0 ? "first" : "other"), "first");
  });
}

TEST(Collectives, ABarrierWaitsForAll) {
  std::atomic<int> there = 0;
  run_ranks(4, [&](Communicator& ranks) {
    ++there;
    barrier(ranks);
    EXPECT_EQ(there.load(), 4);
  });
}

}  // namespace
}  // namespace yona
