// ConfigKey: one key of the configuration, tied to the field of a struct that it sets. Reading,
// writing, help, documentation and config.json (config_json.h) all come from lists of these.
//
//   integer("updates", &TrainConfig::updates, {1}, OnResume::ending, "updates after which …")
//
// Keys of a part become keys of the whole by lift("train", &RunConfig::train, train_keys()).
#pragma once

#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "yona/base/enum_names.h"
#include "yona/config/config_node.h"

namespace yona {

// Where a value comes from: for messages, and for paths that are not absolute.
struct ConfigSource {
  std::string label;             // as the user wrote it: "train.updates", "--updates"
  std::string file;              // "": the command line
  std::filesystem::path folder;  // where relative paths start; "": the working directory
};

// "config.yaml:3: train.updates" or "--updates": the beginning of every message.
std::string place_of(const ConfigNode& node, const ConfigSource& source);
// Throws InvalidArgument with place, value and what was expected.
[[noreturn]] void refuse_value(const ConfigNode& node, const ConfigSource& source,
                               std::string_view expected);

// "a, b or c"
std::string join_names(const std::vector<std::string>& names, std::string_view last = "or");

enum class ListKey : bool { no, yes };
// task: decides which others there are. preset: gives many others their defaults, so it goes before
// them. shorthand: sets several others, goes before them and is never written.
enum class KeyRole : std::uint8_t { task, preset, shorthand, plain };

// What another value means to a run that is resumed (run_record.h). There is no default: a new key
// has to choose.
enum class OnResume : std::uint8_t {
  free,     // the weights do not depend on it
  content,  // a path, or what is compared in parts: the content decides, not the name
  ending,   // decides where the learning rate's schedule ends at train.updates (cosine, linear)
  decides,  // other weights: refused without --allow-changes
  fixed     // the weights that exist belong to it: always refused
};

// What a value is in JSON (config_json.h).
enum class JsonType : std::uint8_t { text, boolean, integer, number, texts };

template <class T>
constexpr JsonType json_type_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return JsonType::boolean;
  } else if constexpr (std::is_integral_v<T>) {
    return JsonType::integer;
  } else if constexpr (std::is_floating_point_v<T>) {
    return JsonType::number;
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    return JsonType::texts;
  } else {
    return JsonType::text;
  }
}

template <class Owner>
struct ConfigKey {
  std::string name;      // dotted
  std::string expected;  // "a whole number of at least 1"
  std::string meaning;   // one sentence, lower case, no full stop
  std::function<ConfigNode(const Owner&)> get;
  std::function<void(Owner&, const ConfigNode&, const ConfigSource&)> set;
  ListKey is_list = ListKey::no;  // --set splits its value at commas
  KeyRole role = KeyRole::plain;
  OnResume on_resume = OnResume::decides;
  JsonType json_type = JsonType::text;
};

// --- values --------------------------------------------------------------------------------

// How a field of type T is written as text. read gives nothing for what is not expected.
template <class T>
struct ConfigCodec {
  std::string expected;
  std::function<std::optional<T>(const ConfigNode&, const ConfigSource&)> read;
  std::function<ConfigNode(const T&)> write;
  ListKey is_list = ListKey::no;
};

struct IntegerRange {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::string_view zero = "";  // a word that stands for 0: "auto"
};

struct NumberRange {
  double least = 0.0;
  double most = std::numeric_limits<double>::infinity();
  bool open_below = false;  // least itself is refused
  bool open_above = false;
};

inline constexpr NumberRange kProbability{.least = 0.0, .most = 1.0, .open_above = true};
inline constexpr NumberRange kPositive{.least = 0.0, .open_below = true};
inline constexpr NumberRange kNotNegative{};

ConfigCodec<std::int64_t> integer_codec(const IntegerRange& range);
ConfigCodec<double> number_codec(const NumberRange& range);
ConfigCodec<bool> bool_codec();
ConfigCodec<std::string> text_codec();
ConfigCodec<std::string> word_codec(const std::vector<std::string>& words);  // one of these
ConfigCodec<std::filesystem::path> path_codec();
// Seconds as 90s, 20m, 2h or 1h30m; "any" is 0.
ConfigCodec<std::int64_t> duration_codec();
ConfigCodec<std::vector<std::string>> texts_codec();
// "auto" is nullopt.
ConfigCodec<std::optional<std::vector<std::string>>> texts_or_auto_codec();
ConfigCodec<std::vector<std::filesystem::path>> paths_codec();

// Another integer type; the range must fit it.
template <class T>
ConfigCodec<T> integer_codec_of(const IntegerRange& range) {
  const ConfigCodec<std::int64_t> codec = integer_codec(range);
  return {codec.expected,
          [codec](const ConfigNode& node, const ConfigSource& source) -> std::optional<T> {
            const auto value = codec.read(node, source);
            return value ? std::optional<T>(static_cast<T>(*value)) : std::nullopt;
          },
          [codec](const T& value) { return codec.write(static_cast<std::int64_t>(value)); }};
}

// By the names beside the enum (enum_names.h); `allowed` are those that a key takes.
template <NamedEnum E>
ConfigCodec<E> enum_codec(const std::vector<std::string>& allowed = enum_name_list<E>()) {
  const ConfigCodec<std::string> codec = word_codec(allowed);
  return {codec.expected,
          [codec](const ConfigNode& node, const ConfigSource& source) -> std::optional<E> {
            const auto word = codec.read(node, source);
            return word ? enum_value<E>(*word) : std::nullopt;
          },
          [](const E& value) { return ConfigNode::scalar(std::string(enum_name(value))); }};
}

// --- keys ----------------------------------------------------------------------------------

template <class Owner, class T>
ConfigKey<Owner> config_key(const std::string& name, T Owner::*field, const ConfigCodec<T>& codec,
                            OnResume on_resume, const std::string& meaning) {
  ConfigKey<Owner> key;
  key.name = name;
  key.expected = codec.expected;
  key.meaning = meaning;
  key.on_resume = on_resume;
  key.is_list = codec.is_list;
  key.json_type = json_type_of<T>();
  key.get = [field, codec](const Owner& owner) { return codec.write(owner.*field); };
  key.set = [field, codec](Owner& owner, const ConfigNode& node, const ConfigSource& source) {
    std::optional<T> value = codec.read(node, source);
    if (!value) {
      refuse_value(node, source, codec.expected);
    }
    owner.*field = std::move(*value);
  };
  return key;
}

template <class Owner, class T>
ConfigKey<Owner> integer(const std::string& name, T Owner::*field, const IntegerRange& range,
                         OnResume on_resume, const std::string& meaning) {
  return config_key(name, field, integer_codec_of<T>(range), on_resume, meaning);
}

template <class Owner>
ConfigKey<Owner> number(const std::string& name, double Owner::*field, const NumberRange& range,
                        OnResume on_resume, const std::string& meaning) {
  return config_key(name, field, number_codec(range), on_resume, meaning);
}

// One of the names of an enum.
template <class Owner, NamedEnum E>
ConfigKey<Owner> choice(const std::string& name, E Owner::*field, OnResume on_resume,
                        const std::string& meaning) {
  return config_key(name, field, enum_codec<E>(), on_resume, meaning);
}

// true or false.
template <class Owner>
ConfigKey<Owner> flag(const std::string& name, bool Owner::*field, OnResume on_resume,
                      const std::string& meaning) {
  return config_key(name, field, bool_codec(), on_resume, meaning);
}

template <class Owner>
using ConfigKeys = std::vector<ConfigKey<Owner>>;

template <class Owner>
void append(ConfigKeys<Owner>& keys, ConfigKeys<Owner> more) {
  keys.insert(keys.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
}

// The keys of a part as keys of what holds it. An empty prefix keeps their names.
template <class Outer, class Inner>
std::vector<ConfigKey<Outer>> lift(const std::string& prefix, Inner Outer::*part,
                                   const std::vector<ConfigKey<Inner>>& keys) {
  std::vector<ConfigKey<Outer>> lifted;
  lifted.reserve(keys.size());
  for (const ConfigKey<Inner>& key : keys) {
    lifted.push_back(
        {prefix.empty() ? key.name : fmt::format("{}.{}", prefix, key.name), key.expected,
         key.meaning, [part, key](const Outer& outer) { return key.get(outer.*part); },
         [part, key](Outer& outer, const ConfigNode& node, const ConfigSource& source) {
           key.set(outer.*part, node, source);
         },
         key.is_list, key.role, key.on_resume, key.json_type});
  }
  return lifted;
}

}  // namespace yona
