#include "yona/tasks/file_checks.h"

#include <system_error>

#include "yona/base/error.h"

namespace yona {

namespace fs = std::filesystem;

void check_data_file(const fs::path& path, std::string_view key) {
  std::error_code error;
  check(path.empty() || fs::exists(path, error), "{}: {}: no such file", key, path.string());
  check(path.empty() || !fs::is_directory(path, error), "{}: {}: is a folder, not a file", key,
        path.string());
  check(path.empty() || fs::is_regular_file(path, error),
        "{}: {}: is a pipe or a device, and is read more than once; write its content to a file "
        "first",
        key, path.string());
}

void make_absolute(fs::path& path) {
  if (!path.empty()) {
    path = fs::absolute(path).lexically_normal();
  }
}

void make_absolute(std::vector<fs::path>& paths) {
  for (fs::path& path : paths) {
    make_absolute(path);
  }
}

}  // namespace yona
