// The folder of a run: what is in it is not overwritten by accident.
#pragma once

#include <filesystem>

namespace yona {

// Throws InvalidArgument when the folder holds a run that is not to be resumed, or anything else:
// no model is mixed with another.
void check_run_folder(const std::filesystem::path& run, bool resume);
// Checks the run's folder, and makes it. Throws IoError when it cannot.
void prepare_folder(const std::filesystem::path& run, bool resume);

// The model that the run begins with: `init`, which is noted in the run's folder (init.txt), or
// what was noted there when the run was stopped before its first checkpoint.
std::filesystem::path init_of(const std::filesystem::path& run, const std::filesystem::path& init,
                              bool resume);

}  // namespace yona
