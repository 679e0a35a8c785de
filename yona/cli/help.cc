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

// Two columns: a name, and text that wraps next to it.
std::string entry(const std::string& name, const std::string& text) {
  std::string line = "  " + name;
  if (shown_width(line) + 2 > kTextColumn) {
    line += "\n" + std::string(kTextColumn, ' ');
  } else {
    line.append(kTextColumn - shown_width(line), ' ');
  }
  std::string out;
  std::size_t column = kTextColumn;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (column > kTextColumn && column + 1 + shown_width(word) > kColumns) {
      out += line + "\n";
      line.assign(kTextColumn, ' ');
      column = kTextColumn;
    }
    const std::size_t gap = column > kTextColumn ? 1 : 0;
    line.append(gap, ' ').append(word);
    column += gap + shown_width(word);
  }
  return out + line + "\n";
}

std::string option_name(const CLI::Option& option) {
  const std::string names = option.get_name(false, true);  // "-o,--output"
  return option.get_type_size() == 0 ? names : fmt::format("{} {}", names, option.get_type_name());
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
  return fmt::format("{}: {}\n\nUsage: {} {}\n{}{}{}", full_name(*app), app->get_description(),
                     full_name(*app), has_commands ? "COMMAND [options]" : "[options]",
                     command_list(*app), option_groups(*app), example_lines(*app));
}

}  // namespace yona::cli
