// What the control groups of this process allow it: Linux counts memory and CPU time by group, in
// containers and batch systems, and kills a group that takes more than its limit.
//
// The process's own group and all groups above it count, of version 1 and version 2
// (man 7 cgroups; Documentation/admin-guide/cgroup-v2.rst).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace yona {

struct CgroupMemory {
  std::int64_t bytes = 0;
  std::string file;  // that says so
};

// The least memory limit; none where nothing is limited or known. `root` is the folder that holds
// proc/ and sys/: for tests.
std::optional<CgroupMemory> cgroup_memory_limit(const std::filesystem::path& root = "/");

// The CPUs' worth of time that the process may use, such as 1.5; none where that is not limited.
std::optional<double> cgroup_cpu_quota(const std::filesystem::path& root = "/");

}  // namespace yona
