// Files that a configuration names.
#pragma once

#include <filesystem>
#include <string_view>

namespace yona {

// Throws InvalidArgument "data.train: x.mrg: no such file", also for a folder, and for a pipe or a
// device, which cannot be read twice. An empty path is none.
void check_data_file(const std::filesystem::path& path, std::string_view key);

}  // namespace yona
