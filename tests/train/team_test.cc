#include "yona/train/team.h"

#include <gtest/gtest.h>

#include "tests/harness/thread_ranks.h"

namespace yona {
namespace {

TEST(Team, PutsValuesIntoTheOrderOfMicroBatches) {
  run_ranks(3, [](Communicator& ranks) {
    const Team team(&ranks);
    std::vector<double> own;
    for (int micro = ranks.rank(); micro < 5; micro += 3) {
      own.insert(own.end(), {static_cast<double>(micro), micro + 0.5});
    }
    EXPECT_EQ(team.in_order(own, 2, 5),
              (std::vector<double>{0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5}));
    EXPECT_EQ(team.first_with(ranks.rank() == 2), std::optional(2));
    EXPECT_EQ(team.first_with(false), std::nullopt);
    EXPECT_EQ(team.from_leader(std::to_string(ranks.rank())), "0");
  });
}

TEST(Team, NamesTheRankThatIsDifferent) {
  try {
    run_ranks(3, [](Communicator& ranks) {
      Team(&ranks).check_same({{"train.seed", ranks.rank() == 1 ? "2" : "1"}});
    });
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "rank 1 differs from rank 0: train.seed: 1 → 2");
  }
}

TEST(Team, OfOneProcessNeedsNoOthers) {
  const Team team(nullptr);
  EXPECT_TRUE(team.leads());
  EXPECT_EQ(team.in_order({3, 1}, 1, 2), (std::vector<double>{3, 1}));
  EXPECT_EQ(team.first_with(true), std::optional(0));
  std::vector<double> values{4};
  team.follow_leader(values);
  EXPECT_EQ(values.front(), 4);
}

TEST(Team, FollowsTheValuesOfTheFirst) {
  run_ranks(2, [](Communicator& ranks) {
    std::vector<double> values{1.0 + ranks.rank(), 7};
    Team(&ranks).follow_leader(values);
    EXPECT_EQ(values, (std::vector<double>{1, 7}));
  });
}

}  // namespace
}  // namespace yona
