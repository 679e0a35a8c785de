// A folder that is created atomically. It is filled under a temporary name in the same parent;
// commit() brings every file to disk, adds the checksums, and renames it.
#pragma once

#include <filesystem>

namespace yona {

//   AtomicFolder folder(run / "checkpoints" / "step-100");
//   write_safetensors(folder.path() / "model.safetensors", arrays);
//   folder.commit();
//
// Throws IoError; until commit() returns, what was at `final_path` is unchanged.
class AtomicFolder {
 public:
  // Makes the temporary folder. The parent must exist.
  explicit AtomicFolder(std::filesystem::path final_path);
  // Removes the temporary folder if it was not committed.
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  // The temporary folder, to be filled with plain files and folders of them.
  const std::filesystem::path& path() const { return path_; }

  // Puts the folder in its place, replacing one that is there.
  void commit();

 private:
  std::filesystem::path final_path_;
  std::filesystem::path path_;
};

// Removes `folder` such that a kill halfway leaves no half of it under its name. Throws IoError.
void remove_folder(const std::filesystem::path& folder);

}  // namespace yona
