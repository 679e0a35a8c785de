#include "yona/base/memory_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/resource_limit.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using testing::ResourceLimit;

TEST(MemoryLimit, IsAtMostTheMachines) {
  EXPECT_GT(memory_limit().bytes, 0);
  EXPECT_FALSE(memory_limit().source.empty());
}

TEST(MemoryLimit, NamesTheLimitOfAddressSpace) {
  const std::int64_t bytes = address_space_in_use() + 1000000000;
  EXPECT_GT(bytes, 1000000000);
  const ResourceLimit limit(RLIMIT_AS, static_cast<rlim_t>(bytes));
  ASSERT_TRUE(address_limit());
  EXPECT_EQ(address_limit()->bytes, bytes);
  EXPECT_EQ(address_limit()->source, "ulimit -v");
  EXPECT_LE(memory_limit().bytes, bytes);
  const ResourceLimit lower(RLIMIT_DATA, static_cast<rlim_t>(bytes - 1));
  EXPECT_EQ(address_limit()->source, "ulimit -d");
}

TEST(MemoryLimit, IsNotedWhereItIsNotTheMachines) {
  const ResourceLimit limit(RLIMIT_DATA, 1500000000);
  EXPECT_THAT(memory_limit_note(), HasSubstr(" (the limit is "));
}

}  // namespace
}  // namespace yona
