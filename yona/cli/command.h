// What a subcommand is made of: the flags that it declares, and the call that does its work once
// the arguments are known to be good. Flags are taken as text and parsed by us, so that a wrong
// value gets the same message everywhere: flag, value, what was expected.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "yona/config/config_key.h"

namespace yona::cli {

struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;  // returns the exit code
};

struct CommandText {
  std::string name;
  std::string description;  // one line
  std::string examples;     // lines as typed, without indentation
};

CLI::App* add_command(CLI::App& parent, const CommandText& text);

// A flag with one value, with values up to the next flag (and separated by commas), or with one
// value each time it is given. `value` is what the help calls it: FILE, N.
struct FlagText {
  std::string name;  // "--updates" or "-o,--output"
  std::string value;
  std::string description;
  std::string group = "Options";
};
void add_text(CLI::App& app, std::string& into, const FlagText& text);
void add_list(CLI::App& app, std::vector<std::string>& into, const FlagText& text);
void add_repeated(CLI::App& app, std::vector<std::string>& into, const FlagText& text);
void add_switch(CLI::App& app, bool& into, const FlagText& text);

// The value of a flag. Throws InvalidArgument "--steps: expected …, got 'x'".
std::int64_t integer_value(const std::string& flag, const std::string& text,
                           const IntegerRange& range);
double number_value(const std::string& flag, const std::string& text, const NumberRange& range);
std::string word_value(const std::string& flag, const std::string& text,
                       const std::vector<std::string>& words);

// Items of a list flag cut at commas, except where a file of the whole name exists.
std::vector<std::filesystem::path> path_list(const std::vector<std::string>& items);

// Throws InvalidArgument "train: --output is missing; …" unless the flag has a value.
void require_flag(const CLI::App& app, std::string_view flag, bool is_given,
                  std::string_view next_step);

// Throws InvalidArgument unless the path names a file that exists.
void require_file(std::string_view flag, const std::filesystem::path& path);
// The same for a folder.
void require_folder(std::string_view flag, const std::filesystem::path& path);

}  // namespace yona::cli
