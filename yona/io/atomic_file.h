// Files replaced atomically: written next to the old one under a temporary name, brought to
// disk, then renamed over it. A reader sees the old bytes or the new, never a mixture.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace yona {

// Calls `write` with a temporary path in the same folder, then renames what it wrote to `path`. If
// anything throws, the temporary file is removed and the old file is unchanged.
//   replace_file(dir / "model.safetensors",
//                [&](const auto& path) { write_safetensors(path, arrays); });
void replace_file(const std::filesystem::path& path,
                  const std::function<void(const std::filesystem::path&)>& write);
void replace_file(const std::filesystem::path& path, std::string_view content);

// Where something on its way to `path` is written: `.NAME.tmp-PID` in the same folder.
std::filesystem::path temporary_path(const std::filesystem::path& path);

// Removes from `folder` what killed writers left under temporary names. Only for a process that
// holds the run's lock: others may still be writing. A folder that does not exist is clean.
void remove_leftovers(const std::filesystem::path& folder);

// rename(2) that is on disk when it returns. Both paths are in one folder. Throws IoError.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace yona
