// A struct as a JSON object by the list of its keys: config.json of a model. The same table serves
// YAML and --set (config_section.h), so a field is named in one place.
//
//   struct GptConfig { std::int64_t d_model = 768; double dropout = 0.1; };
//   ConfigKeys<GptConfig> gpt_keys() {
//     return {integer("d_model", &GptConfig::d_model, {1, 1 << 16}, OnResume::fixed, "width …"),
//             number("dropout", &GptConfig::dropout, kProbability, OnResume::decides, "P_drop …")};
//   }
//   Json json = keys_to_json(config, gpt_keys());
//   keys_from_json(config, json, gpt_keys(), "gpt/config.json");
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yona/base/error.h"
#include "yona/base/json.h"
#include "yona/config/config_key.h"

namespace yona {

// A value of a key as JSON: a number, true or false, text, or a list of texts. A word in place of a
// number ("auto") stays text.
Json json_value(const ConfigNode& node, JsonType type);
// The reverse. Throws FormatError "{where}: {name} cannot be {value}" for another type.
ConfigNode node_from_json(const Json& value, JsonType type, std::string_view name,
                          std::string_view where);
// Throws FormatError for something that is not an object, or has a name that is not in the list.
void check_json_names(const Json& json, const std::vector<std::string>& names,
                      std::string_view where);

// Every key under its name, except shorthands.
template <class Owner>
Json keys_to_json(const Owner& owner, const ConfigKeys<Owner>& keys) {
  Json json = Json::object();
  for (const ConfigKey<Owner>& key : keys) {
    if (key.role != KeyRole::shorthand) {
      json[key.name] = json_value(key.get(owner), key.json_type);
    }
  }
  return json;
}

// Sets what the object has, and leaves the rest of `owner` as it is. Throws FormatError, beginning
// with `where` (a file), for a wrong type and for a value outside of the key's range. Names that no
// key has are left to check_json_names().
template <class Owner>
void keys_from_json(Owner& owner, const Json& json, const ConfigKeys<Owner>& keys,
                    std::string_view where) {
  for (const ConfigKey<Owner>& key : keys) {
    const auto found = json.find(key.name);
    if (found == json.end() || key.role == KeyRole::shorthand) {
      continue;
    }
    const ConfigNode node = node_from_json(*found, key.json_type, key.name, where);
    try {
      key.set(owner, node, {key.name, "", ""});
    } catch (const InvalidArgument& error) {
      fail<FormatError>("{}: {}", where, error.what());
    }
  }
}

}  // namespace yona
