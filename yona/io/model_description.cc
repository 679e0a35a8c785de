// One table of fields (description_fields.h) serves both directions, so that writing and reading
// cannot drift apart.

#include "yona/io/model_description.h"

#include <algorithm>
#include <set>
#include <type_traits>

#include "yona/base/enum_names.h"
#include "yona/base/error.h"
#include "yona/io/description_fields.h"

namespace yona {

namespace {

constexpr std::int64_t kMaxSize = 1 << 30;  // products of two sizes stay far inside 64 bits

template <class T>
bool has_type(const Json& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value.is_boolean();
  } else if constexpr (std::is_integral_v<T>) {
    return value.is_number_integer() && value.get<double>() >= -1 &&
           value.get<double>() <= kMaxSize;
  } else if constexpr (std::is_floating_point_v<T>) {
    return value.is_number();
  } else {
    return value.is_string();
  }
}

template <NamedEnum E>
void check_word(std::string_view where, std::string_view key, const std::string& value) {
  check<FormatError>(enum_value<E>(value).has_value(), "{}: {} is '{}'; it must be one of {}",
                     where, key, value, fmt::join(enum_name_list<E>(), ", "));
}

void check_values(const ModelDescription& d, std::string_view where) {
  const ModelInfo model{};
  for_each_field(d, model, [&](std::string_view key, const auto& value, const auto& of_model) {
    using T = std::decay_t<decltype(value)>;
    using InModel = std::decay_t<decltype(of_model)>;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const int least = key.ends_with("_id")                                  ? -1
                        : key.ends_with("_layers") || key == "first_position" ? 0
                                                                              : 1;
      check<FormatError>(value >= least, "{}: {} is {}; it must be at least {}", where, key, value,
                         least);
    } else if constexpr (std::is_floating_point_v<T>) {
      const bool probability = key.ends_with("dropout");
      check<FormatError>(probability ? value >= 0 && value < 1 : value > 0, "{}: {} is {}", where,
                         key, value);
    } else if constexpr (NamedEnum<InModel>) {
      check_word<InModel>(where, key, value);
    }
  });
  const std::int64_t highest = std::max({d.eos_id, d.unk_id, d.pad(), d.decoder_start()});
  check<FormatError>(highest < d.target_vocab, "{}: token id {} is outside the vocabulary of {}",
                     where, highest, d.target_vocab);
}

}  // namespace

Json to_json(const ModelDescription& description) {
  Json json = Json::object();
  const ModelInfo model{};
  for_each_field(description, model,
                 [&](const char* key, const auto& value, const auto&) { json[key] = value; });
  if (description.task == ModelDescription().task) {
    json.erase("task");  // versions before 0.2 do not know the key
  }
  if (description.arch == ModelDescription().arch) {
    for (const char* key : {"arch", "cell", "alignment", "kernel_width", "longest_dilation"}) {
      json.erase(key);
    }
  }
  return json;
}

ModelDescription description_from_json(const Json& json, std::string_view where) {
  check<FormatError>(json.is_object(), "{}: the model's description is not an object", where);
  ModelDescription description;
  const ModelInfo model{};
  std::set<std::string> known;
  for_each_field(description, model, [&](const char* key, auto& value, const auto&) {
    known.insert(key);
    const auto found = json.find(key);
    if (found != json.end()) {
      using T = std::decay_t<decltype(value)>;
      check<FormatError>(has_type<T>(*found), "{}: {} cannot be {}", where, key, found->dump());
      value = found->template get<T>();
    }
  });
  for (const auto& [key, value] : json.items()) {
    check<FormatError>(known.contains(key), "{}: unknown key '{}': written by a newer yona?", where,
                       key);
  }
  check_values(description, where);
  return description;
}

}  // namespace yona
