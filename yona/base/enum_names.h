// The names of an enum's values, written once, beside the enum:
//
//   enum class NormPosition : std::uint8_t { post, pre };
//   constexpr std::array<std::string_view, 2> enum_names(NormPosition) { return {"post", "pre"}; }
//
// Values count from 0 in the order of the names. Configuration keys, config.json and messages all
// use these names (config/config_key.h, choice()).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace yona {

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E value) {
  enum_names(value);
};

template <NamedEnum E>
constexpr std::string_view enum_name(E value) {
  return enum_names(value).at(static_cast<std::size_t>(value));
}

// Nothing for a word that is not a name.
template <NamedEnum E>
constexpr std::optional<E> enum_value(std::string_view name) {
  const auto names = enum_names(E{});
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) {
      return static_cast<E>(i);
    }
  }
  return std::nullopt;
}

template <NamedEnum E>
std::vector<std::string> enum_name_list() {
  const auto names = enum_names(E{});
  return {names.begin(), names.end()};
}

}  // namespace yona
