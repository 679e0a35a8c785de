// A configuration file as a tree of texts, before anybody says what its values mean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace yona {

struct ConfigMember;

struct ConfigNode {
  enum class Kind : std::uint8_t { null, scalar, list, map };

  Kind kind = Kind::null;
  std::string text;                   // of a scalar
  std::vector<ConfigNode> items;      // of a list
  std::vector<ConfigMember> members;  // of a map, in the file's order; names differ
  int line = 0;                       // in the file, from 1; 0: not from a file

  static ConfigNode scalar(std::string text);
  static ConfigNode list(const std::vector<std::string>& texts);
  static ConfigNode map();

  bool operator==(const ConfigNode& other) const;  // lines aside
};

struct ConfigMember {
  std::string name;
  ConfigNode value;
  std::string comment{};  // written above it, without the #
  bool disabled = false;  // written as a comment
};

}  // namespace yona
