// A struct read from and written to a section of the configuration, by the list of its keys.
// Nested maps and dotted names mean the same: `train: {updates: 5}` is `train.updates: 5`.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "yona/config/config_key.h"

namespace yona {

struct ConfigEntry {
  std::size_t key = 0;  // its place in the list of names
  const ConfigNode* node = nullptr;
  ConfigSource source;
};

// The values of a map by the names of its keys. source.label is put in front of the names ("" or
// "data.train[0]."). Throws InvalidArgument for unknown names, with the nearest one, for sections
// that are not maps, and for names that occur twice.
std::vector<ConfigEntry> find_entries(const ConfigNode& map, const std::vector<std::string>& names,
                                      const ConfigSource& source);

// "unknown key 'train.udpates'; did you mean train.updates?"
std::string unknown_key(std::string_view name, const std::vector<std::string>& names);

// Puts a value into nested maps by its dotted name.
void insert_dotted(ConfigNode& map, std::string_view name, ConfigMember member);

template <class Owner>
std::vector<std::string> names_of(const std::vector<ConfigKey<Owner>>& keys) {
  std::vector<std::string> names;
  names.reserve(keys.size());
  for (const ConfigKey<Owner>& key : keys) {
    names.push_back(key.name);
  }
  return names;
}

// Sets what the map gives, and leaves the rest of `owner` as it is.
template <class Owner>
void read_section(Owner& owner, const ConfigNode& map, const std::vector<ConfigKey<Owner>>& keys,
                  const ConfigSource& source) {
  std::vector<ConfigEntry> entries = find_entries(map, names_of(keys), source);
  std::stable_sort(entries.begin(), entries.end(), [&](const auto& a, const auto& b) {
    return keys[a.key].role < keys[b.key].role;
  });
  for (const ConfigEntry& entry : entries) {
    keys[entry.key].set(owner, *entry.node, entry.source);
  }
}

// What differs from a default one.
template <class Owner>
ConfigNode write_section(const Owner& owner, const std::vector<ConfigKey<Owner>>& keys) {
  const Owner unset{};
  ConfigNode map = ConfigNode::map();
  for (const ConfigKey<Owner>& key : keys) {
    ConfigNode value = key.get(owner);
    if (key.role != KeyRole::shorthand && value != key.get(unset)) {
      insert_dotted(map, key.name, {key.name, std::move(value)});
    }
  }
  return map;
}

// A list of sections: data.train, data.valid. Items without a name are called default_name,
// default_name-2, default_name-3 …
template <class Item>
ConfigCodec<std::vector<Item>> sections_codec(const std::vector<ConfigKey<Item>>& keys,
                                              const std::string& default_name) {
  const auto name_at = [default_name](std::size_t i) {
    return i == 0 ? default_name : fmt::format("{}-{}", default_name, i + 1);
  };
  const auto read = [keys, name_at](
                        const ConfigNode& node,
                        const ConfigSource& source) -> std::optional<std::vector<Item>> {
    if (node.kind != ConfigNode::Kind::list) {
      return std::nullopt;
    }
    std::vector<Item> items;
    items.reserve(node.items.size());
    for (const ConfigNode& part : node.items) {
      ConfigSource inside = source;
      inside.label = fmt::format("{}[{}].", source.label, items.size());
      Item item;
      item.name = name_at(items.size());
      read_section(item, part, keys, inside);
      items.push_back(std::move(item));
    }
    return items;
  };
  const auto write = [keys](const std::vector<Item>& items) {
    ConfigNode list = ConfigNode::list({});
    for (const Item& item : items) {
      ConfigNode map = write_section(item, keys);
      std::erase_if(map.members, [](const ConfigMember& member) { return member.name == "name"; });
      map.members.insert(map.members.begin(), {"name", ConfigNode::scalar(item.name)});
      list.items.push_back(std::move(map));
    }
    return list;
  };
  return {fmt::format("a list of sections with {}", join_names(names_of(keys), "and")), read, write,
          ListKey::yes};
}

}  // namespace yona
