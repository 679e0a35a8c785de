// Files that a configuration names.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace yona {

// Throws InvalidArgument "data.train: x.mrg: no such file", also for a folder, and for a pipe or a
// device, which cannot be read twice. An empty path is none.
void check_data_file(const std::filesystem::path& path, std::string_view key);

// So that a resumed run finds them from any folder. An empty path stays empty.
void make_absolute(std::filesystem::path& path);
void make_absolute(std::vector<std::filesystem::path>& paths);

}  // namespace yona
