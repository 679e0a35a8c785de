// Trees as the kernel shows them in several set-ups, made of plain files.

#include "yona/base/cgroup.h"

#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

namespace fs = std::filesystem;
using testing::TempDir;

constexpr const char* kVersion2 =
    "24 1 0:5 / /proc rw shared:3 - proc proc rw\n"
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* kVersion1 =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";

class Tree {
 public:
  Tree(const std::string& mounts, const std::string& groups) {
    write("proc/self/mountinfo", mounts);
    write("proc/self/cgroup", groups);
  }
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((folder_ / path).parent_path());
    testing::write_bytes(folder_ / path, text);
  }
  std::int64_t memory() const {
    const auto limit = cgroup_memory_limit(folder_.path());
    return limit ? limit->bytes : 0;
  }
  std::string file() const {
    return fs::path(cgroup_memory_limit(folder_.path()).value().file)
        .lexically_relative(folder_.path())
        .string();
  }
  double cpus() const { return cgroup_cpu_quota(folder_.path()).value_or(0); }

 private:
  TempDir folder_;
};

TEST(Cgroup, TakesTheLeastLimitOnTheWayToTheRoot) {
  const Tree tree(kVersion2, "0::/batch/job7/step\n");
  tree.write("sys/fs/cgroup/cgroup.procs", "");
  tree.write("sys/fs/cgroup/batch/memory.max", "8000000000\n");
  tree.write("sys/fs/cgroup/batch/job7/memory.max", "300000000\n");
  tree.write("sys/fs/cgroup/batch/job7/step/memory.max", "max\n");
  tree.write("sys/fs/cgroup/other/memory.max", "1000\n");
  EXPECT_EQ(tree.memory(), 300000000);
  EXPECT_EQ(tree.file(), "sys/fs/cgroup/batch/job7/memory.max");
}

TEST(Cgroup, CountsTheLimitAboveWhichAGroupIsSlowedDown) {
  const Tree tree(kVersion2, "0::/job\n");
  tree.write("sys/fs/cgroup/job/memory.max", "300000000\n");
  tree.write("sys/fs/cgroup/job/memory.high", "200000000\n");
  EXPECT_EQ(tree.memory(), 200000000);
  EXPECT_EQ(tree.file(), "sys/fs/cgroup/job/memory.high");
}

TEST(Cgroup, ReadsTheMemoryControllerOfVersion1) {
  const Tree tree(kVersion1, "5:devices:/\n4:memory:/a/b\n1:cpu,cpuacct:/c\n0::/\n");
  tree.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  tree.write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "400000000\n");
  tree.write("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(tree.memory(), 400000000);
  tree.write("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "300000000\n");
  EXPECT_EQ(tree.memory(), 300000000);
  EXPECT_EQ(tree.file(), "sys/fs/cgroup/memory/a/b/memory.limit_in_bytes");
}

TEST(Cgroup, HasNoLimitWhereNothingIsLimited) {
  const Tree tree(kVersion1, "4:memory:/\n0::/\n");
  tree.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_FALSE(cgroup_memory_limit(TempDir().path()));
  EXPECT_EQ(tree.memory(), 0);
  EXPECT_EQ(tree.cpus(), 0);
}

// A container without a namespace of its own sees the host's path, and mounts its group as the
// root.
TEST(Cgroup, FindsItsGroupBelowTheGroupThatIsMounted) {
  const Tree tree(
      "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro,nosuid master:17 - cgroup cgroup "
      "rw,memory\n",
      "4:memory:/docker/abc/inner\n");
  tree.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "500000000\n");
  EXPECT_EQ(tree.memory(), 500000000);
  tree.write("sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "300000000\n");
  EXPECT_EQ(tree.memory(), 300000000);
}

TEST(Cgroup, TakesTheMountedGroupWhereItsOwnIsNotSeen) {
  for (const char* group : {"0::/../../elsewhere\n", "0::/not/here\n", "0::/\n", ""}) {
    const Tree tree(kVersion2, group);
    tree.write("sys/fs/cgroup/memory.max", "300000000\n");
    EXPECT_EQ(tree.memory(), 300000000) << group;
  }
}

TEST(Cgroup, LooksInTheUsualPlacesWithoutProc) {
  const TempDir two;
  fs::create_directories(two / "sys/fs/cgroup");
  testing::write_bytes(two / "sys/fs/cgroup/memory.max", "300000000\n");
  EXPECT_EQ(cgroup_memory_limit(two.path()).value().bytes, 300000000);
  const TempDir one;
  fs::create_directories(one / "sys/fs/cgroup/memory");
  testing::write_bytes(one / "sys/fs/cgroup/memory/memory.limit_in_bytes", "200000000\n");
  EXPECT_EQ(cgroup_memory_limit(one.path()).value().bytes, 200000000);
}

TEST(Cgroup, TakesTheLeastShareOfTheCpus) {
  const Tree two(kVersion2, "0::/a/b\n");
  two.write("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  two.write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(two.cpus(), 1.5);
  const Tree one(kVersion1, "1:cpu,cpuacct:/a/b\n");
  one.write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "400000\n");
  one.write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  one.write("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n");
  one.write("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(one.cpus(), 4);
}

TEST(Cgroup, IsNotConfusedByDamagedFiles) {
  const Tree tree("x\n - cgroup2\n30 23 0:26 /\n - \n" + std::string(kVersion2),
                  "::\nnothing\n0:\n0::/a\n");
  tree.write("sys/fs/cgroup/a/memory.max", "\n");
  tree.write("sys/fs/cgroup/memory.max", "-5\n");
  EXPECT_EQ(tree.memory(), 0);
}

}  // namespace
}  // namespace yona
