// A value for a key of a configuration that is not the one it has: for tests that look at every key
// of a table, so that a new key needs no line in them.
#pragma once

#include <string>
#include <vector>

#include "yona/base/error.h"
#include "yona/config/config_key.h"

namespace yona::testing {

// Numbers that most ranges have, and the words of what a key says that it expects.
inline std::vector<std::string> possible_values(const std::string& expected) {
  std::vector<std::string> values{"2", "3", "0.25", "64"};
  std::string word;
  for (const char letter : expected + " ") {
    if (letter != ' ' && letter != ',') {
      word += letter;
    } else if (!word.empty()) {
      values.push_back(word);
      word.clear();
    }
  }
  return values;
}

// The first of them that the key takes and that is not its value in `config`; empty: none is.
template <class Config>
std::string other_value(const ConfigKey<Config>& key, const Config& config) {
  for (const std::string& value : possible_values(key.expected)) {
    Config changed = config;
    try {
      key.set(changed, ConfigNode::scalar(value), {key.name, "", ""});
    } catch (const InvalidArgument&) {
      continue;
    }
    if (!(key.get(changed) == key.get(config))) {
      return value;
    }
  }
  return "";
}

}  // namespace yona::testing
