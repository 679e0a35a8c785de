// A folder that is served under a name, and how its model is loaded.
#pragma once

#include <filesystem>
#include <string>

#include "yona/decode/compute_type.h"

namespace yona::serve {

struct ServedFolder {
  std::filesystem::path folder;
  std::string id{};  // empty: the folder's name

  std::string name() const {
    return id.empty() ? std::filesystem::absolute(folder / "x").parent_path().filename().string()
                      : id;
  }
};

struct ServedLoading {
  std::string device = "cpu";
  int threads = 0;  // 0: all CPUs that may be used
  ComputeType type{.is_folders = true};
};

}  // namespace yona::serve
