// The help of a command, wrapped to 100 columns, with examples at the end. Ours rather than
// CLI11's own, which looks different from version to version and does not wrap.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace yona::cli {

// A CLI::App formatter.
std::string help_text(const CLI::App* app, std::string name, CLI::AppFormatMode mode);

// "yona bench train"
std::string full_name(const CLI::App& app);

}  // namespace yona::cli
