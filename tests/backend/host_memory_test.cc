#include "yona/backend/host_memory.h"

#include <cstring>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/base/memory_limit.h"

#include "tests/harness/resource_limit.h"
#include "tests/harness/sanitized.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using testing::ResourceLimit;

constexpr std::int64_t kMegabyte = 1 << 20;
constexpr std::int64_t kTerabyte = std::int64_t{1} << 40;

rlim_t in_use_and(std::int64_t bytes) {
  return static_cast<rlim_t>(address_space_in_use() + bytes);
}

TEST(HostMemory, IsZeroAndCanBeWrittenWithoutALimit) {
  void* memory = reserve_host_memory(64 * kMegabyte);
  commit_host_memory(memory, 64 * kMegabyte);
  auto* bytes = static_cast<char*>(memory);
  EXPECT_EQ(bytes[64 * kMegabyte - 1], 0);
  std::memset(bytes, 1, 64 * kMegabyte);
  release_host_memory(memory);
}

TEST(HostMemory, ReservesMoreThanTheLimitAndGrowsInPlaceUpToIt) {
  if (kSanitized) {
    GTEST_SKIP() << "sanitizers take address space of their own";
  }
  const ResourceLimit limit(RLIMIT_AS, in_use_and(400 * kMegabyte));
  void* memory = reserve_host_memory(kTerabyte);
  auto* bytes = static_cast<char*>(memory);
  for (std::int64_t size = 1; size <= 200 * kMegabyte; size += 13 * kMegabyte) {
    commit_host_memory(memory, size);
    EXPECT_EQ(bytes[size - 1], 0);
    bytes[size - 1] = 1;
  }
  EXPECT_EQ(bytes[0], 1);
  try {
    commit_host_memory(memory, 500 * kMegabyte);
    FAIL() << "grown beyond the limit";
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("out of memory: a buffer needs 524 MB, the limit "));
    EXPECT_THAT(error.what(), HasSubstr("(ulimit -v)"));
  }
  commit_host_memory(memory, 250 * kMegabyte);  // still usable
  release_host_memory(memory);
  void* again = reserve_host_memory(kTerabyte);
  commit_host_memory(again, 250 * kMegabyte);  // what was given back counts no more
  EXPECT_EQ(static_cast<char*>(again)[0], 0);
  release_host_memory(again);
}

TEST(HostMemory, ObeysTheLimitOfPrivateMemoryToo) {
  if (kSanitized) {
    GTEST_SKIP() << "sanitizers take address space of their own";
  }
  const ResourceLimit limit(RLIMIT_DATA, in_use_and(100 * kMegabyte));
  void* memory = reserve_host_memory(kTerabyte);
  commit_host_memory(memory, 50 * kMegabyte);
  static_cast<char*>(memory)[50 * kMegabyte - 1] = 1;
  release_host_memory(memory);
}

TEST(HostMemory, KeepsGrowingBuffersApart) {
  if (kSanitized) {
    GTEST_SKIP() << "sanitizers take address space of their own";
  }
  const ResourceLimit limit(RLIMIT_AS, in_use_and(1000 * kMegabyte));
  struct Buffer {
    char* bytes;
    std::int64_t size, used;
    char mark;
  };
  std::vector<Buffer> buffers;
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    if (buffers.size() > 8 || (random() % 3 == 0 && !buffers.empty())) {
      const std::size_t i = random() % buffers.size();
      for (const std::int64_t at : {std::int64_t{0}, buffers[i].used / 2, buffers[i].used - 1}) {
        ASSERT_EQ(buffers[i].bytes[at], buffers[i].mark);
      }
      release_host_memory(buffers[i].bytes);
      buffers.erase(buffers.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    const std::int64_t size = (1 + random() % 100) * kMegabyte;
    const std::int64_t used = 1 + random() % size;
    auto* bytes = static_cast<char*>(reserve_host_memory(size));
    for (const Buffer& other : buffers) {
      ASSERT_TRUE(bytes + size <= other.bytes || other.bytes + other.size <= bytes);
    }
    commit_host_memory(bytes, used);
    const char mark = static_cast<char>(1 + round % 100);
    bytes[0] = bytes[used / 2] = bytes[used - 1] = mark;
    buffers.push_back({bytes, size, used, mark});
  }
  for (const Buffer& buffer : buffers) {
    release_host_memory(buffer.bytes);
  }
}

TEST(HostMemory, ObeysTheLimitOfAControlGroup) {
  EXPECT_NO_THROW(check_group_limit(300 * kMegabyte, {300 * kMegabyte, "memory.max"}));
  try {
    check_group_limit(300 * kMegabyte + 1, {300 * kMegabyte, "memory.max"});
    FAIL() << "more than the group may have";
  } catch (const DeviceError& error) {
    EXPECT_STREQ(error.what(),
                 "cpu: out of memory: 315 MB are needed, the limit (memory.max) is 315 MB; raise "
                 "it, or use a smaller --batch-tokens or model, or int8");
  }
}

}  // namespace
}  // namespace yona
