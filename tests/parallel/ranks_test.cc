#include "yona/parallel/ranks.h"

#include <map>

#include <gtest/gtest.h>

#include "tests/harness/thread_ranks.h"

namespace yona {
namespace {

std::optional<StartedRank> started_with(const std::map<std::string, std::string>& variables) {
  return started_rank([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Ranks, AreFoundInTheEnvironmentOfEachLauncher) {
  EXPECT_EQ(started_with({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}}),
            (StartedRank{3, 4, "OMPI_COMM_WORLD_SIZE"}));
  EXPECT_EQ(started_with({{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}}), (StartedRank{0, 2, "PMI_SIZE"}));
  EXPECT_EQ(started_with({{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "7"}}),
            (StartedRank{7, 8, "SLURM_STEP_NUM_TASKS"}));
}

TEST(Ranks, AProcessAloneIsNone) {
  EXPECT_EQ(started_with({}), std::nullopt);
  EXPECT_EQ(started_with({{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}}),
            std::nullopt);
  // A batch script of Slurm is one process, whatever was asked for.
  EXPECT_EQ(started_with({{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}}), std::nullopt);
  EXPECT_EQ(started_with({{"PMI_SIZE", "many"}, {"PMI_RANK", "0"}}), std::nullopt);
  EXPECT_EQ(join_ranks(), nullptr);
}

TEST(Ranks, OneRankJoinsWhereItIsAskedTo) {
  const std::map<std::string, std::string> one{
      {"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}, {"YONA_ONE_RANK", "1"}};
  EXPECT_EQ(started_with(one), (StartedRank{0, 1, "OMPI_COMM_WORLD_SIZE"}));
  EXPECT_EQ(started_with({{"YONA_ONE_RANK", "1"}}), std::nullopt);  // no launcher
}

TEST(Ranks, ProcessesThatWorkForThemselvesAreNone) {
  std::map<std::string, std::string> several{{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}};
  several["YONA_RANKS"] = "off";
  EXPECT_EQ(started_with(several), std::nullopt);
  several["YONA_RANKS"] = "on";
  EXPECT_EQ(started_with(several), (StartedRank{0, 2, "PMI_SIZE"}));
}

TEST(Ranks, ThreadsOfOneProcessAreNeighbours) {
  run_ranks(3, [](Communicator& ranks) {
    const RankNeighbours neighbours = rank_neighbours(ranks);
    EXPECT_EQ(neighbours.on_machine, 3);
    EXPECT_EQ(neighbours.on_cpus, 3);
    EXPECT_EQ(neighbours.number, ranks.rank());
  });
}

}  // namespace
}  // namespace yona
