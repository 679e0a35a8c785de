#include "yona/cli/empty_values.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "yona/base/error.h"

namespace yona::cli {

namespace {

// Lists whose items may hold commas: they are not split at them.
constexpr std::array<std::string_view, 1> kWholeItems = {"--tags"};

std::string name_of(const CLI::Option& option) {
  if (option.get_positional()) {
    return option.get_name();
  }
  const std::vector<std::string>& names = option.get_lnames();
  return names.empty() ? "-" + option.get_snames().front() : "--" + names.front();
}

// Is it split at commas? (path_list() in command.h)
bool is_list(const CLI::Option& option) {
  const std::string name = name_of(option);
  return option.get_items_expected_max() > 1 && option.get_allow_extra_args() &&
         std::find(kWholeItems.begin(), kWholeItems.end(), name) == kWholeItems.end();
}

bool has_empty_element(const std::string& list) {
  std::error_code error;
  return (list.starts_with(',') || list.ends_with(',') || list.find(",,") != list.npos) &&
         !std::filesystem::exists(list, error);
}

}  // namespace

std::vector<std::string> with_empty_values(int count, const char* const* arguments) {
  std::vector<std::string> all;
  for (int i = 1; i < count; ++i) {
    std::string argument = arguments[i];
    const bool is_empty = argument.starts_with("--") && argument.find('=') + 1 == argument.size();
    if (is_empty) {
      argument.pop_back();
    }
    all.push_back(std::move(argument));
    if (is_empty) {
      all.emplace_back();
    }
  }
  return all;
}

void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const bool means_none = command.get_name() == "embed" && option->check_lname("prompt");
    if (option->get_type_size() == 0 || means_none) {  // a switch, or '' is an answer
      continue;
    }
    for (const std::string& value : option->results()) {
      check(!value.empty(), "{}: the value is empty (is a variable unset?)", name_of(*option));
      check(!is_list(*option) || !has_empty_element(value), "{}: an element of '{}' is empty",
            name_of(*option), value);
    }
  }
}

}  // namespace yona::cli
