// A configuration's keys among the fields under "yona" in config.json: each value as text, in the
// words of the configuration.
#pragma once

#include <string>

#include "yona/base/error.h"
#include "yona/base/json.h"
#include "yona/config/config_key.h"
#include "yona/train/recorded_values.h"

namespace yona {

template <class Config>
void write_own_keys(const Config& config, const ConfigKeys<Config>& keys, Json& fields) {
  for (const ConfigKey<Config>& key : keys) {
    fields[key.name] = json_of(key.get(config));
  }
}

// Throws FormatError naming `where` (the file) for fields that are not an object, a key that is
// missing, and a value that is not as expected.
template <class Config>
void read_own_keys(const Json& fields, const ConfigKeys<Config>& keys, const std::string& where,
                   Config& config) {
  check<FormatError>(fields.is_object(), "{}: \"yona\" is not an object", where);
  for (const ConfigKey<Config>& key : keys) {
    const auto found = fields.find(key.name);
    check<FormatError>(found != fields.end(), "{}: \"yona\" has no \"{}\"", where, key.name);
    const Json& value = *found;
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    try {
      key.set(config, ConfigNode::scalar(text), {key.name, "", ""});
    } catch (const InvalidArgument& error) {
      fail<FormatError>("{}: \"yona\": {}", where, error.what());
    }
  }
}

}  // namespace yona
