#include "yona/base/memory_limit.h"

#include <fstream>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>

#include "yona/base/cgroup.h"
#include "yona/base/human.h"

namespace yona {

namespace {

constexpr std::string_view kMachine = "the machine's memory";

void take_less(std::optional<MemoryLimit>& least, const rlimit& limit, const char* source) {
  if (limit.rlim_cur != RLIM_INFINITY &&
      (!least || limit.rlim_cur < static_cast<rlim_t>(least->bytes))) {
    least = {static_cast<std::int64_t>(limit.rlim_cur), source};
  }
}

// The first numbers of /proc/self/statm, in pages: address space, resident, shared with files.
struct MemoryUse {
  std::int64_t all = 0, resident = 0, shared = 0;
};
MemoryUse memory_use() {
  std::ifstream file("/proc/self/statm");
  MemoryUse use;
  return file >> use.all >> use.resident >> use.shared ? use : MemoryUse{};
}

}  // namespace

std::optional<MemoryLimit> address_limit() {
  std::optional<MemoryLimit> least;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0) {
    take_less(least, limit, "ulimit -v");
  }
  if (getrlimit(RLIMIT_DATA, &limit) == 0) {
    take_less(least, limit, "ulimit -d");
  }
  return least;
}

std::optional<MemoryLimit> group_memory_limit() {
  static const std::optional<CgroupMemory> group = cgroup_memory_limit();  // files: read once
  return group ? std::optional(MemoryLimit{group->bytes, group->file}) : std::nullopt;
}

MemoryLimit memory_limit() {
  MemoryLimit least{static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE),
                    std::string(kMachine)};
  for (const auto& limit : {group_memory_limit(), address_limit()}) {
    if (limit && limit->bytes < least.bytes) {
      least = *limit;
    }
  }
  return least;
}

std::string memory_limit_note() {
  const MemoryLimit limit = memory_limit();
  return limit.source == kMachine
             ? ""
             : fmt::format(" (the limit is {}: {})", short_bytes(limit.bytes), limit.source);
}

std::int64_t address_space_in_use() { return memory_use().all * sysconf(_SC_PAGE_SIZE); }

std::int64_t private_memory_in_use() {
  const MemoryUse use = memory_use();
  return (use.resident - use.shared) * sysconf(_SC_PAGE_SIZE);
}

}  // namespace yona
