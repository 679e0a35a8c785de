// The commands and flags of the program, as its help lists them: for tests of rules that hold for
// all.
#pragma once

#include <regex>
#include <sstream>

#include "tests/cli/program.h"

namespace yona::testing {

using Words = std::vector<std::string>;

inline Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Lines of a help text that match, by their first group.
inline Words listed(const std::string& help, const std::regex& pattern) {
  Words found;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    if (std::smatch match; std::regex_search(line, match, pattern)) {
      found.push_back(match[1]);
    }
  }
  return found;
}

// "-m,--model", "--seed" …
inline Words flags_of(const std::string& help) {
  return listed(help, std::regex("^  (-[^ ]+) [^ ]"));
}

inline void collect_commands(const Words& above, std::vector<Words>& into) {
  const std::string help = run_yona(with(above, {"--help"})).out;
  const std::size_t begin = help.find("\nCommands:\n");
  if (!above.empty()) {
    into.push_back(above);
  }
  if (begin == help.npos) {
    return;
  }
  const std::string list = help.substr(begin + 11, help.find("\n\n", begin) - begin - 11);
  for (const std::string& name : listed(list, std::regex("^  ([a-z]+)"))) {
    collect_commands(with(above, {name}), into);
  }
}

// Every command: {"train"}, {"bench"}, {"bench", "train"} …
inline std::vector<Words> every_command() {
  std::vector<Words> commands;
  collect_commands({}, commands);
  return commands;
}

}  // namespace yona::testing
