// Presets in a table: structs with a `name`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yona/base/error.h"

namespace yona {

template <class Presets>
std::vector<std::string> names_of_presets(const Presets& presets) {
  std::vector<std::string> names;
  names.reserve(presets.size());
  for (const auto& each : presets) {
    names.emplace_back(each.name);
  }
  return names;
}

// Throws InvalidArgument with the list for a name that is not there.
template <class Presets>
const auto& find_preset(const Presets& presets, std::string_view name) {
  for (const auto& each : presets) {
    if (each.name == name) {
      return each;
    }
  }
  fail("preset: '{}' is unknown; use {}", name, fmt::join(names_of_presets(presets), ", "));
}

}  // namespace yona
