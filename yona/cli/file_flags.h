// Files that `yona train` is given on the command line: --train, --valid, --train-src … Which of
// them a task takes, and which keys they are, is in its TaskKind.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "yona/cli/command.h"
#include "yona/tasks/run_config.h"

namespace yona::cli {

// What was given, by flag; no entry is empty once the arguments are read, except those of flags
// that were not given.
using FileFlags = std::map<std::string, std::vector<std::string>, std::less<>>;

void add_file_flags(CLI::App& app, FileFlags& files);

bool has_files(const FileFlags& files);

// Files from flags take the place of the configuration's. Throws InvalidArgument for a flag that
// config.task does not take, with those that it does.
void apply_file_flags(const FileFlags& files, RunConfig& config);

// "--train and --valid": for messages that ask for data.
std::string training_flags(const std::string& task);

}  // namespace yona::cli
