// The files of training runs, to compare runs byte by byte.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "tests/harness/temp_dir.h"

namespace yona::testing {

// Every file below the folder that must be the same in two equal runs.
inline std::map<std::string, std::string> run_files(const std::filesystem::path& run) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(run)) {
    const std::string name = std::filesystem::relative(entry.path(), run).string();
    const bool must_be_equal = !name.starts_with("tensorboard") && !name.starts_with("cache") &&
                               name != ".lock" && name != "config.yaml";
    if (entry.is_regular_file() && must_be_equal) {
      files[name] = read_bytes(entry.path());
    }
  }
  return files;
}

}  // namespace yona::testing
