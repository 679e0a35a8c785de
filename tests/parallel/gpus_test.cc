#include "yona/parallel/gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

namespace yona {
namespace {

using ::testing::HasSubstr;

TEST(Gpus, RanksThatSeeTheSameTakeThemInTurn) {
  const std::vector<std::string> seen{"a 0,1", "a 0,1", "b 0,1", "b 0,1"};
  EXPECT_EQ(gpu_of_rank(seen, 0, {"0", "1"}), "0");
  EXPECT_EQ(gpu_of_rank(seen, 1, {"0", "1"}), "1");
  EXPECT_EQ(gpu_of_rank(seen, 2, {"0", "1"}), "0");
  EXPECT_EQ(gpu_of_rank(seen, 3, {"0", "1"}), "1");
}

TEST(Gpus, ARankKeepsTheOneThatItsLauncherGaveIt) {
  EXPECT_EQ(gpu_of_rank({"a 2", "a 3"}, 1, {"3"}), "3");
}

TEST(Gpus, MoreRanksThanGpusAreRefused) {
  try {
    gpu_of_rank({"a 0", "a 0"}, 0, {"0"});
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("2 ranks share 1 GPU on one machine"));
  }
}

TEST(Gpus, AreNamedByTheEnvironment) {
  const char* before = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("CUDA_VISIBLE_DEVICES", "2,GPU-5", 1);
  EXPECT_THAT(visible_gpus(), ::testing::ElementsAre("2", "GPU-5"));
  if (before == nullptr) {
    ::unsetenv("CUDA_VISIBLE_DEVICES");
  } else {
    ::setenv("CUDA_VISIBLE_DEVICES", kept.c_str(), 1);
  }
}

}  // namespace
}  // namespace yona
