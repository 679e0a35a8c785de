// The order matters: files, manifest, the temporary folder, the rename, the parent. Cut anywhere,
// the final name holds either the old folder or a complete new one.

#include "yona/io/atomic_folder.h"

#include <cstdio>
#include <fcntl.h>
#include <system_error>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/file_writer.h"
#include "yona/io/atomic_file.h"
#include "yona/io/checksums.h"

namespace yona {

namespace {

// Swaps two folders in one step where the file system can, so that the name is never empty.
bool exchange(const std::filesystem::path& a, const std::filesystem::path& b) {
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
}

}  // namespace

AtomicFolder::AtomicFolder(std::filesystem::path final_path)
    : final_path_(std::move(final_path)), path_(temporary_path(final_path_)) {
  std::error_code error;
  std::filesystem::remove_all(path_, error);  // of a killed process that had our id
  if (!error) {
    std::filesystem::create_directory(path_, error);
  }
  check<IoError>(!error, "cannot make folder {}: {}", path_.string(), error.message());
}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);  // after commit() it is gone, or the replaced one
}

void AtomicFolder::commit() {
  write_checksums(path_);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path_)) {
    sync_file(entry.path());
  }
  sync_folder(path_);
  if (!std::filesystem::exists(final_path_)) {
    rename_durably(path_, final_path_);
  } else if (exchange(path_, final_path_)) {
    sync_folder(final_path_.parent_path());
  } else {
    remove_folder(final_path_);
    rename_durably(path_, final_path_);
  }
}

void remove_folder(const std::filesystem::path& folder) {
  std::filesystem::path aside = temporary_path(folder);
  aside += "-removed";
  rename_durably(folder, aside);
  std::error_code error;
  std::filesystem::remove_all(aside, error);
  check<IoError>(!error, "cannot remove {}: {}", aside.string(), error.message());
}

}  // namespace yona
