// The order matters: the files' bytes, the manifest with the old and the new checksums, the
// renames.

#include "yona/io/folder_update.h"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "yona/base/error.h"
#include "yona/base/file_writer.h"
#include "yona/base/log.h"
#include "yona/io/atomic_file.h"
#include "yona/io/checksums.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

// The names in a folder, those of weights last.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return !name.ends_with(".safetensors"); });
  return names;
}

// One that cannot be read is written again: the files of this update are right, whatever it said.
Manifest manifest_of(const fs::path& folder) {
  try {
    return Manifest::find(folder).value_or(Manifest());
  } catch (const FormatError& error) {
    log().warn("{}; it is written again", error.what());
    return {};
  }
}

}  // namespace

FolderUpdate::FolderUpdate(fs::path folder)
    : folder_(std::move(folder)), path_(temporary_path(folder_ / "update")) {
  std::error_code error;
  fs::remove_all(path_, error);  // of a killed process that had our id
  if (!error) {
    fs::create_directory(path_, error);
  }
  check<IoError>(!error, "cannot make folder {}: {}", path_.string(), error.message());
}

FolderUpdate::~FolderUpdate() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void FolderUpdate::commit() {
  Manifest manifest = manifest_of(folder_);
  const std::vector<std::string> names = names_in(path_);
  for (const std::string& name : names) {
    const std::optional<FileChecksum> before =
        fs::exists(folder_ / name) ? std::optional(checksum_file(folder_ / name)) : std::nullopt;
    sync_file(path_ / name);
    manifest.replace(name, checksum_file(path_ / name), before);
  }
  for (const std::string& name : kept_) {
    if (!manifest.lists(name)) {
      manifest.set(name, checksum_file(folder_ / name));
    }
  }
  manifest.write(folder_);
  for (const std::string& name : names) {
    std::error_code error;
    fs::rename(path_ / name, folder_ / name, error);
    check<IoError>(!error, "cannot replace {}: {}", (folder_ / name).string(), error.message());
  }
  sync_folder(folder_);
}

}  // namespace yona
