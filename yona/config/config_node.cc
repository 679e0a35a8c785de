#include "yona/config/config_node.h"

#include <algorithm>
#include <utility>

namespace yona {

ConfigNode ConfigNode::scalar(std::string text) {
  ConfigNode node;
  node.kind = Kind::scalar;
  node.text = std::move(text);
  return node;
}

ConfigNode ConfigNode::list(const std::vector<std::string>& texts) {
  ConfigNode node;
  node.kind = Kind::list;
  node.items.reserve(texts.size());
  for (const std::string& text : texts) {
    node.items.push_back(scalar(text));
  }
  return node;
}

ConfigNode ConfigNode::map() {
  ConfigNode node;
  node.kind = Kind::map;
  return node;
}

bool ConfigNode::operator==(const ConfigNode& other) const {
  const auto same = [](const ConfigMember& a, const ConfigMember& b) {
    return a.name == b.name && a.value == b.value;
  };
  return kind == other.kind && text == other.text && items == other.items &&
         std::equal(members.begin(), members.end(), other.members.begin(), other.members.end(),
                    same);
}

}  // namespace yona
