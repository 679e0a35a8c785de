// What every task records of its settings and its files, and what a run that is resumed differs in:
// see train/run_record.h.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/tasks/run_config.h"
#include "yona/train/recorded_values.h"

namespace yona {

// The values of the keys of config.task that decide the run's weights.
Json recorded_settings(const RunConfig& config);
Differences settings_that_differ(const Json& then, const Json& now, const std::string& task);

// Name, size and checksum of each file, which are read.
Json recorded_files(const std::vector<std::filesystem::path>& files);
// "corpus.en: changed", or which file is in its place; `files` are those of now, `corpus` is for
// messages.
std::vector<std::string> changed_files(const Json& then, const Json& now,
                                       const std::vector<std::filesystem::path>& files,
                                       const std::string& corpus);

}  // namespace yona
