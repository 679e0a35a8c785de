// The temporary name, the rename, and the sync of the folder that makes the rename last.

#include "yona/io/atomic_file.h"

#include <string>
#include <system_error>
#include <unistd.h>

#include "yona/base/error.h"
#include "yona/base/file_writer.h"
#include "yona/base/log.h"

namespace yona {

namespace {

constexpr std::string_view kTemporaryMark = ".tmp-";

bool is_temporary(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') && name.find(kTemporaryMark) != std::string::npos;
}

}  // namespace

std::filesystem::path temporary_path(const std::filesystem::path& path) {
  return path.parent_path() /
         fmt::format(".{}{}{}", path.filename().string(), kTemporaryMark, ::getpid());
}

void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  check<IoError>(!error, "cannot rename {} to {}: {}", from.string(), to.string(), error.message());
  sync_folder(to.has_parent_path() ? to.parent_path() : ".");
}

void replace_file(const std::filesystem::path& path,
                  const std::function<void(const std::filesystem::path&)>& write) {
  const std::filesystem::path temporary = temporary_path(path);
  try {
    write(temporary);
    rename_durably(temporary, path);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

void replace_file(const std::filesystem::path& path, std::string_view content) {
  replace_file(path, [&](const std::filesystem::path& temporary) {
    FileWriter file(temporary, static_cast<std::int64_t>(content.size()));
    file.write(content);
    file.close();
  });
}

void remove_leftovers(const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (is_temporary(entry.path())) {
      std::filesystem::remove_all(entry.path(), error);
      check<IoError>(!error, "cannot remove {}, left by a run that was killed: {}",
                     entry.path().string(), error.message());
      log().debug("removed {}, left by a run that was killed", entry.path().string());
    }
  }
}

}  // namespace yona
