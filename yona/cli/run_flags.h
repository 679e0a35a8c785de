// The flags that set configuration keys, and the configuration that they, --config and --set result
// in.
#pragma once

#include <string>
#include <vector>

#include "yona/cli/command.h"
#include "yona/cli/file_flags.h"
#include "yona/tasks/run_config.h"

namespace yona::cli {

struct RunFlags {
  std::string config;             // a file
  std::vector<std::string> sets;  // key=value
  // Plain flags: one key each.
  std::string task, preset, arch, source_language, target_language;
  std::string vocabulary_size, updates, batch_tokens, precision, seed, valid_metrics, time;
  FileFlags files;
};

void add_run_flags(CLI::App& app, RunFlags& flags);

// The key and value of a --set. Throws InvalidArgument.
ConfigAssignment parse_set(const std::string& text);

// Preset, then the file, then --set, then plain flags. Throws InvalidArgument.
RunConfig resolve(const RunFlags& flags);

// The keys that a file given by --config keeps from following a --preset on the command line: the
// recorded configuration of another run does to all of them.
std::vector<std::string> keys_hidden_from_preset(const RunFlags& flags, const RunConfig& config);

}  // namespace yona::cli
