// Files of a model folder replaced while other programs read it, together with their checksums.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace yona {

//   FolderUpdate update(run);
//   write_safetensors(update.path() / "model.safetensors", arrays);
//   update.commit();
//
// Throws IoError; before commit() nothing of the folder has changed. Unlike AtomicFolder it leaves
// the folder's other files alone, and replaces one file after the other.
class FolderUpdate {
 public:
  // Makes a temporary folder inside `folder`, which exists.
  explicit FolderUpdate(std::filesystem::path folder);
  // Removes the temporary folder, and what was not committed.
  ~FolderUpdate();
  FolderUpdate(const FolderUpdate&) = delete;
  FolderUpdate& operator=(const FolderUpdate&) = delete;

  // The temporary folder, to be filled with plain files.
  const std::filesystem::path& path() const { return path_; }

  // Files that stay as they are: their checksums are recorded where that was not done before.
  void keep(std::vector<std::string> names) { kept_ = std::move(names); }

  // Records the checksums of the new files and then moves them to their places, weights last. The
  // folder agrees with its checksums.json at every moment, also when the process is killed.
  void commit();

 private:
  std::filesystem::path folder_;
  std::filesystem::path path_;
  std::vector<std::string> kept_;
};

}  // namespace yona
