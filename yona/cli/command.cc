#include "yona/cli/command.h"

#include <sstream>

#include "yona/base/error.h"
#include "yona/cli/help.h"

namespace yona::cli {

namespace {

void describe(CLI::Option* option, const FlagText& text) {
  option->type_name(text.value)->group(text.group);
}

template <class T>
T parse(const std::string& flag, const std::string& text, const ConfigCodec<T>& codec) {
  const ConfigNode node = ConfigNode::scalar(text);
  const ConfigSource source{flag, "", ""};
  const auto value = codec.read(node, source);
  if (!value) {
    refuse_value(node, source, codec.expected);
  }
  return *value;
}

}  // namespace

CLI::App* add_command(CLI::App& parent, const CommandText& text) {
  CLI::App* app = parent.add_subcommand(text.name, text.description);
  app->allow_extras();  // we name them ourselves, with the nearest flag
  app->footer(text.examples);
  app->formatter_fn(help_text);
  app->set_help_flag("-h,--help", "show this text");
  return app;
}

void add_text(CLI::App& app, std::string& into, const FlagText& text) {
  describe(app.add_option(text.name, into, text.description), text);
}

void add_list(CLI::App& app, std::vector<std::string>& into, const FlagText& text) {
  describe(app.add_option(text.name, into, text.description), text);
}

void add_repeated(CLI::App& app, std::vector<std::string>& into, const FlagText& text) {
  CLI::Option* option = app.add_option(text.name, into, text.description);
  option->allow_extra_args(false);
  describe(option, text);
}

void add_switch(CLI::App& app, bool& into, const FlagText& text) {
  app.add_flag(text.name, into, text.description)->group(text.group);
}

std::int64_t integer_value(const std::string& flag, const std::string& text,
                           const IntegerRange& range) {
  return parse(flag, text, integer_codec(range));
}

double number_value(const std::string& flag, const std::string& text, const NumberRange& range) {
  return parse(flag, text, number_codec(range));
}

std::string word_value(const std::string& flag, const std::string& text,
                       const std::vector<std::string>& words) {
  return parse(flag, text, word_codec(words));
}

std::vector<std::filesystem::path> path_list(const std::vector<std::string>& items) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& item : items) {
    std::error_code error;
    if (std::filesystem::exists(item, error)) {
      paths.emplace_back(item);
      continue;
    }
    std::istringstream parts(item);
    for (std::string part; std::getline(parts, part, ',');) {
      paths.emplace_back(part);
    }
  }
  return paths;
}

void require_flag(const CLI::App& app, std::string_view flag, bool is_given,
                  std::string_view next_step) {
  check(is_given, "{}: {} is missing; {}", app.get_name(), flag, next_step);
}

void require_file(std::string_view flag, const std::filesystem::path& path) {
  std::error_code error;
  check(std::filesystem::exists(path, error), "{}: {}: no such file", flag, path.string());
  check(!std::filesystem::is_directory(path, error), "{}: {}: is a folder, not a file", flag,
        path.string());
}

void require_folder(std::string_view flag, const std::filesystem::path& path) {
  std::error_code error;
  check(!std::filesystem::is_regular_file(path, error), "{}: {}: is a file, not a folder", flag,
        path.string());
  check(std::filesystem::is_directory(path, error), "{}: {}: no such folder", flag, path.string());
}

}  // namespace yona::cli
