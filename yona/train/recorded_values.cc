#include "yona/train/recorded_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace yona {

std::string shown(const Json& value) {
  if (value.is_string()) {
    return value.get<std::string>().empty() ? "''" : value.get<std::string>();
  }
  if (!value.is_array()) {
    return value.dump();
  }
  std::vector<std::string> parts;
  parts.reserve(value.size());
  for (const Json& part : value) {
    parts.push_back(shown(part));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

Differences& Differences::operator+=(const Differences& other) {
  fixed.insert(fixed.end(), other.fixed.begin(), other.fixed.end());
  changes.insert(changes.end(), other.changes.begin(), other.changes.end());
  return *this;
}

Json json_of(const ConfigNode& node) {
  if (node.kind != ConfigNode::Kind::list) {
    return node.text;
  }
  Json list = Json::array();
  for (const ConfigNode& item : node.items) {
    list.push_back(json_of(item));
  }
  return list;
}

std::string change(std::string_view name, const Json& then, const Json& now) {
  return fmt::format("{}: {} → {}", name, shown(then), shown(now));
}

bool matters(const std::string& key, const Json& then, const Json& now) {
  const auto decays = [](const Json& settings) {
    return settings.value("train.weight_decay", "0") != "0";
  };
  return key != "train.weight_decay_on" || decays(then) || decays(now);
}

Differences parts_that_differ(const Json& then, const Json& now) {
  Differences differences;
  for (const auto& [name, value] : then.items()) {
    if (now.contains(name) && now.at(name) != value) {
      differences.fixed.push_back(change("model." + name, value, now.at(name)));
    }
  }
  return differences;
}

}  // namespace yona
