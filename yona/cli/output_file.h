// Checks of --output: a mistyped path must not destroy a model.
#pragma once

#include <filesystem>
#include <string_view>

namespace yona::cli {

// Throws InvalidArgument when `path` is a file of a model or of a training run, which a result
// would replace. Other files may be replaced; standard output ("" or "-") is always fine.
void protect_model_files(std::string_view flag, const std::filesystem::path& path);

}  // namespace yona::cli
