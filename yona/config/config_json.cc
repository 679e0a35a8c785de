#include "yona/config/config_json.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace yona {

namespace {

template <class T>
Json number_or_text(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc{} && end == text.data() + text.size();
  return is_number ? Json(value) : Json(text);
}

bool has_type(const Json& value, JsonType type) {
  switch (type) {
    case JsonType::text:
      return value.is_string();
    case JsonType::boolean:
      return value.is_boolean();
    case JsonType::integer:
      return value.is_number_integer() || value.is_string();
    case JsonType::number:
      return value.is_number();
    case JsonType::texts:
      return value.is_array() && std::all_of(value.begin(), value.end(),
                                             [](const Json& item) { return item.is_string(); });
  }
  return false;
}

}  // namespace

Json json_value(const ConfigNode& node, JsonType type) {
  if (node.kind == ConfigNode::Kind::list) {
    Json list = Json::array();
    for (const ConfigNode& item : node.items) {
      list.push_back(item.text);
    }
    return list;
  }
  switch (type) {
    case JsonType::boolean:
      return node.text == "true";
    case JsonType::integer:
      return number_or_text<std::int64_t>(node.text);
    case JsonType::number:
      return number_or_text<double>(node.text);
    default:
      return node.text;
  }
}

ConfigNode node_from_json(const Json& value, JsonType type, std::string_view name,
                          std::string_view where) {
  check<FormatError>(has_type(value, type), "{}: {} cannot be {}", where, name, value.dump());
  if (value.is_array()) {
    return ConfigNode::list(value.get<std::vector<std::string>>());
  }
  if (value.is_string()) {
    return ConfigNode::scalar(value.get<std::string>());
  }
  return ConfigNode::scalar(value.is_number_float() ? fmt::format("{}", value.get<double>())
                                                    : value.dump());
}

void check_json_names(const Json& json, const std::vector<std::string>& names,
                      std::string_view where) {
  check<FormatError>(json.is_object(), "{}: the model's description is not an object", where);
  for (const auto& [name, value] : json.items()) {
    check<FormatError>(std::find(names.begin(), names.end(), name) != names.end(),
                       "{}: unknown key '{}': written by a newer yona?", where, name);
  }
}

}  // namespace yona
