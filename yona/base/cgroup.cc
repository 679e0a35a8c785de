// /proc/self/cgroup names the process's group in each hierarchy, /proc/self/mountinfo where the
// hierarchies are mounted. A container often sees only its own part of the tree: then the mount's
// root is a group itself, and the path of the process may begin with it, or be of another
// namespace.

#include "yona/base/cgroup.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace yona {

namespace {

namespace fs = std::filesystem;

enum class Version : std::uint8_t { one, two };

struct Mount {
  Version version = Version::two;
  std::string options;  // of version 1, with the names of its controllers
  std::string root;     // the group that is mounted
  fs::path point;
};

bool has_word(std::string_view list, std::string_view word) {
  std::istringstream words{std::string(list)};
  for (std::string each; std::getline(words, each, ',');) {
    if (each == word) {
      return true;
    }
  }
  return false;
}

// "36 35 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory"
std::vector<Mount> read_mounts(const fs::path& root) {
  std::vector<Mount> mounts;
  std::ifstream file(root / "proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream left(line.substr(0, line.find(" - ")));
    std::istringstream right(line.find(" - ") == line.npos ? ""
                                                           : line.substr(line.find(" - ") + 3));
    std::string id, parent, device, group, point, type, source, options;
    left >> id >> parent >> device >> group >> point;
    right >> type >> source >> options;
    if (type == "cgroup" || type == "cgroup2") {
      mounts.push_back({type == "cgroup" ? Version::one : Version::two, options, group,
                        root / fs::path(point).relative_path()});
    }
  }
  return mounts;
}

// The process's group: "4:memory:/a/b" in version 1, "0::/a/b" in version 2.
std::optional<std::string> own_group(const fs::path& root, Version version,
                                     std::string_view controller) {
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) {
      continue;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version == Version::two ? controllers.empty() : has_word(controllers, controller)) {
      return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

// The folder of a group below a mount; the mount itself where the group is not seen from here.
fs::path folder_of(const Mount& mount, const std::string& group) {
  const fs::path inside = fs::path(group).lexically_relative(mount.root);
  const bool is_below = !inside.empty() && inside != "." && *inside.begin() != "..";
  std::error_code error;
  return is_below && fs::is_directory(mount.point / inside, error) ? mount.point / inside
                                                                   : mount.point;
}

// Folders of the process's group and of those above it, for the hierarchies that have the
// controller.
struct Groups {
  Version version;
  std::vector<fs::path> folders;
};

std::vector<Groups> groups_of(const fs::path& root, std::string_view controller) {
  std::vector<Mount> mounts = read_mounts(root);
  if (mounts.empty()) {  // without /proc: where they usually are
    mounts = {{Version::two, "", "/", root / "sys/fs/cgroup"},
              {Version::one, std::string(controller), "/", root / "sys/fs/cgroup" / controller}};
  }
  std::vector<Groups> all;
  for (const Mount& mount : mounts) {
    if (mount.version == Version::one && !has_word(mount.options, controller)) {
      continue;
    }
    Groups& groups = all.emplace_back(Groups{mount.version, {}});
    fs::path folder = folder_of(mount, own_group(root, mount.version, controller).value_or("/"));
    for (; folder != mount.point && folder.has_relative_path(); folder = folder.parent_path()) {
      groups.folders.push_back(folder);
    }
    groups.folders.push_back(mount.point);
  }
  return all;
}

std::optional<double> positive_number(const fs::path& path) {
  std::ifstream file(path);
  double number = 0;
  return file >> number && number > 0 ? std::optional(number) : std::nullopt;  // not "max" and -1
}

std::optional<double> cpu_quota(Version version, const fs::path& folder) {
  if (version == Version::two) {
    std::ifstream file(folder / "cpu.max");  // "150000 100000", or "max 100000"
    double quota = 0;
    double period = 0;
    return file >> quota >> period && quota > 0 && period > 0 ? std::optional(quota / period)
                                                              : std::nullopt;
  }
  const auto quota = positive_number(folder / "cpu.cfs_quota_us");  // -1: not limited
  const auto period = positive_number(folder / "cpu.cfs_period_us");
  return quota && period ? std::optional(*quota / *period) : std::nullopt;
}

}  // namespace

std::optional<CgroupMemory> cgroup_memory_limit(const fs::path& root) {
  // Version 1 has the largest whole number of pages where nothing is limited.
  constexpr double kUnlimited = 9e18;
  std::optional<CgroupMemory> least;
  for (const Groups& groups : groups_of(root, "memory")) {
    const std::vector<const char*> names = groups.version == Version::two
                                               ? std::vector{"memory.max", "memory.high"}
                                               : std::vector{"memory.limit_in_bytes"};
    for (const fs::path& folder : groups.folders) {
      for (const char* name : names) {
        const auto bytes = positive_number(folder / name);
        if (bytes && *bytes < kUnlimited &&
            (!least || *bytes < static_cast<double>(least->bytes))) {
          least = {static_cast<std::int64_t>(*bytes), (folder / name).string()};
        }
      }
    }
  }
  return least;
}

std::optional<double> cgroup_cpu_quota(const fs::path& root) {
  std::optional<double> least;
  for (const Groups& groups : groups_of(root, "cpu")) {
    for (const fs::path& folder : groups.folders) {
      if (const auto quota = cpu_quota(groups.version, folder)) {
        least = std::min(least.value_or(*quota), *quota);
      }
    }
  }
  return least;
}

}  // namespace yona
