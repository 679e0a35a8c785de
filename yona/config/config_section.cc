#include "yona/config/config_section.h"

#include <optional>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/nearest_name.h"

namespace yona {

namespace {

std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

// The nearest whole name; else the key that ends as this one does ("updates": train.updates).
std::optional<std::string> suggestion(std::string_view name,
                                      const std::vector<std::string>& names) {
  if (auto nearest = nearest_name(name, names)) {
    return nearest;
  }
  std::vector<std::string> ends;
  ends.reserve(names.size());
  for (const std::string& candidate : names) {
    ends.push_back(last_part(candidate));
  }
  const auto nearest_end = nearest_name(last_part(std::string(name)), ends);
  const auto found = nearest_end ? std::find(ends.begin(), ends.end(), *nearest_end) : ends.end();
  return found == ends.end() ? std::nullopt
                             : std::optional(names[static_cast<std::size_t>(found - ends.begin())]);
}

class EntryFinder {
 public:
  EntryFinder(const std::vector<std::string>& names, const ConfigSource& source)
      : names_(names), source_(source) {}

  void descend(const ConfigNode& map, const std::string& prefix) {
    for (const ConfigMember& member : map.members) {
      const std::string name = prefix + member.name;
      if (const auto key = std::find(names_.begin(), names_.end(), name); key != names_.end()) {
        add(static_cast<std::size_t>(key - names_.begin()), member.value);
      } else if (is_section(name)) {
        enter(name, member.value);
      } else {
        const ConfigSource here = at(name);
        fail("{}{}", here.file.empty() ? "" : fmt::format("{}:{}: ", here.file, member.value.line),
             unknown_key(here.label, labelled_names()));
      }
    }
  }

  std::vector<ConfigEntry> take() { return std::move(entries_); }

 private:
  ConfigSource at(const std::string& name) const {
    ConfigSource source = source_;
    source.label += name;
    return source;
  }

  std::vector<std::string> labelled_names() const {
    std::vector<std::string> labelled;
    labelled.reserve(2 * names_.size());
    for (const std::string& name : names_) {
      labelled.push_back(source_.label + name);
    }
    for (const std::string& name : names_) {  // and the sections, for which any key of them speaks
      if (const std::size_t dot = name.find('.'); dot != name.npos) {
        labelled.push_back(source_.label + name.substr(0, dot));
      }
    }
    return labelled;
  }

  bool is_section(const std::string& name) const {
    return std::any_of(names_.begin(), names_.end(), [&](const std::string& key) {
      return key.size() > name.size() && key.starts_with(name) && key[name.size()] == '.';
    });
  }

  void enter(const std::string& name, const ConfigNode& node) {
    if (node.kind == ConfigNode::Kind::map) {
      descend(node, name + ".");
    } else if (node.kind != ConfigNode::Kind::null) {  // a section without keys is fine
      const auto example = std::find_if(names_.begin(), names_.end(), [&](const std::string& key) {
        return key.starts_with(name + ".");
      });
      refuse_value(node, at(name), fmt::format("a section with keys, such as {}", *example));
    }
  }

  void add(std::size_t key, const ConfigNode& node) {
    for (const ConfigEntry& entry : entries_) {
      check(entry.key != key, "{} is repeated; it is on line {} already",
            place_of(node, at(names_[key])), entry.node->line);
    }
    entries_.push_back({key, &node, at(names_[key])});
  }

  const std::vector<std::string>& names_;
  const ConfigSource& source_;
  std::vector<ConfigEntry> entries_;
};

}  // namespace

std::string unknown_key(std::string_view name, const std::vector<std::string>& names) {
  const auto nearest = suggestion(name, names);
  return nearest ? fmt::format("unknown key '{}'; did you mean {}?", name, *nearest)
                 : fmt::format("unknown key '{}'; `yona config --keys` lists them all", name);
}

std::vector<ConfigEntry> find_entries(const ConfigNode& map, const std::vector<std::string>& names,
                                      const ConfigSource& source) {
  if (map.kind != ConfigNode::Kind::map) {
    ConfigSource here = source;
    here.label =
        source.label.empty() ? "configuration" : source.label.substr(0, source.label.size() - 1);
    refuse_value(map, here, fmt::format("keys and values, such as `{}: …`", names.front()));
  }
  EntryFinder finder(names, source);
  finder.descend(map, "");
  return finder.take();
}

void insert_dotted(ConfigNode& map, std::string_view name, ConfigMember member) {
  const std::size_t dot = name.find('.');
  if (dot == name.npos) {
    member.name = name;
    map.members.push_back(std::move(member));
    return;
  }
  const std::string_view section = name.substr(0, dot);
  if (map.members.empty() || map.members.back().name != section) {
    map.members.push_back({std::string(section), ConfigNode::map()});
  }
  insert_dotted(map.members.back().value, name.substr(dot + 1), std::move(member));
}

}  // namespace yona
