#include "yona/cli/help.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include <fmt/format.h>

namespace yona::cli {

namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kTextColumn = 30;

// Columns on a terminal: bytes that begin a character.
std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Puts text behind what `line` begins with, and wraps it at a column of its own. Each line of the
// text begins a new one.
std::string wrapped(std::string line, const std::string& text, std::size_t indent) {
  std::string out;
  std::size_t column = shown_width(line);
  bool is_first = true;  // word of its line
  const auto begin_line = [&] {
    out += line + "\n";
    line.assign(indent, ' ');
    column = indent;
    is_first = true;
  };
  std::istringstream lines(text);
  for (std::string part; std::getline(lines, part);) {
    if (!is_first) {
      begin_line();
    }
    std::istringstream words(part);
    for (std::string word; words >> word;) {
      if (!is_first && column + 1 + shown_width(word) > kColumns) {
        begin_line();
      }
      const std::size_t gap = is_first ? 0 : 1;
      line.append(gap, ' ').append(word);
      column += gap + shown_width(word);
      is_first = false;
    }
  }
  return out + line + "\n";
}

// Two columns: a name, and its text.
std::string entry(const std::string& name, const std::string& text) {
  std::string line = "  " + name;
  if (shown_width(line) + 2 > kTextColumn) {
    return line + "\n" + wrapped(std::string(kTextColumn, ' '), text, kTextColumn);
  }
  line.append(kTextColumn - shown_width(line), ' ');
  return wrapped(line, text, kTextColumn);
}

std::string option_name(const CLI::Option& option) {
  const std::string names = option.get_name(false, true);  // "-o,--output"
  const std::string type = option.get_type_size() == 0 ? "" : option.get_type_name();
  return type.empty() ? names : fmt::format("{} {}", names, type);
}

std::string option_groups(const CLI::App& app) {
  std::string out;
  for (const std::string& group : app.get_groups()) {
    const auto options =
        app.get_options([&](const CLI::Option* option) { return option->get_group() == group; });
    if (group.empty() || options.empty()) {
      continue;
    }
    out += fmt::format("\n{}:\n", group);
    for (const CLI::Option* option : options) {
      out += entry(option_name(*option), option->get_description());
    }
  }
  return out;
}

std::string command_list(const CLI::App& app) {
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  std::string out = commands.empty() ? "" : "\nCommands:\n";
  for (const CLI::App* command : commands) {
    out += entry(command->get_name(), command->get_description());
  }
  return out;
}

std::string example_lines(const CLI::App& app) {
  std::string out;
  std::istringstream examples(app.get_footer());
  for (std::string line; std::getline(examples, line);) {
    out += fmt::format("  {}\n", line);
  }
  return out.empty() ? "" : "\nExamples:\n" + out;
}

}  // namespace

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr
             ? app.get_name()
             : fmt::format("{} {}", full_name(*app.get_parent()), app.get_name());
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature is CLI11's
std::string help_text(const CLI::App* app, std::string /*name*/, CLI::AppFormatMode /*mode*/) {
  const bool has_commands = !app->get_subcommands([](const CLI::App*) { return true; }).empty();
  const std::string name = full_name(*app);
  return fmt::format("{}\nUsage: {} {}\n{}{}{}", wrapped(name + ": ", app->get_description(), 2),
                     name, has_commands ? "COMMAND [options]" : "[options]", command_list(*app),
                     option_groups(*app), example_lines(*app));
}

}  // namespace yona::cli
