// One rule for all commands: a flag that takes a value is not given an empty one. `--model "$RUN"`
// with RUN unset means a mistake, not a default.
#pragma once

#include <string>
#include <vector>

#include "yona/cli/command.h"

namespace yona::cli {

// The arguments after the program's name. "--flag=" becomes "--flag" and "", which CLI11 would read
// as a flag whose value is the next argument.
std::vector<std::string> with_empty_values(int count, const char* const* arguments);

// Throws InvalidArgument for the first flag of this command that was given an empty value, or a
// list in which an element is empty ("a,,b"). Call it when the arguments are parsed.
void refuse_empty_values(const CLI::App& command);

}  // namespace yona::cli
