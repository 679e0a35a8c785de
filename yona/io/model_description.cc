// One list of fields serves both directions, so that writing and reading cannot drift apart.

#include "yona/io/model_description.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <type_traits>

#include "yona/base/error.h"

namespace yona {

namespace {

constexpr std::int64_t kMaxSize = 1 << 30;  // products of two sizes stay far inside 64 bits

template <class Description, class Visit>
void for_each_field(Description& d, Visit visit) {
  visit("encoder_layers", d.encoder_layers);
  visit("decoder_layers", d.decoder_layers);
  visit("d_model", d.d_model);
  visit("d_ff", d.d_ff);
  visit("heads", d.heads);
  visit("d_k", d.d_k);
  visit("d_v", d.d_v);
  visit("dropout", d.dropout);
  visit("attention_dropout", d.attention_dropout);
  visit("activation_dropout", d.activation_dropout);
  visit("activation", d.activation);
  visit("positions", d.positions);
  visit("norm", d.norm);
  visit("attention", d.attention);
  visit("tying", d.tying);
  visit("position_base", d.position_base);
  visit("scale_embedding", d.scale_embedding);
  visit("projection_bias", d.projection_bias);
  visit("padding", d.padding);
  visit("norm_kind", d.norm_kind);
  visit("norm_epsilon", d.norm_epsilon);
  visit("embedding_norm", d.embedding_norm);
  visit("gated", d.gated);
  visit("biases", d.biases);
  visit("scale_output", d.scale_output);
  visit("first_position", d.first_position);
  visit("relative_buckets", d.relative_buckets);
  visit("relative_reach", d.relative_reach);
  visit("family", d.family);
  visit("shared_vocabulary", d.shared_vocabulary);
  visit("source_vocab", d.source_vocab);
  visit("target_vocab", d.target_vocab);
  visit("max_positions", d.max_positions);
  visit("eos_id", d.eos_id);
  visit("unk_id", d.unk_id);
  visit("pad_id", d.pad_id);
  visit("decoder_start_id", d.decoder_start_id);
  visit("source_language", d.source_language);
  visit("target_language", d.target_language);
  visit("vocabulary", d.vocabulary);
  visit("task", d.task);
}

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

void check_word(std::string_view where, std::string_view key, const std::string& value,
                std::initializer_list<std::string_view> allowed) {
  check<FormatError>(std::find(allowed.begin(), allowed.end(), value) != allowed.end(),
                     "{}: {} is '{}'; it must be one of {}", where, key, value,
                     fmt::join(allowed, ", "));
}

void check_values(const ModelDescription& d, std::string_view where) {
  for_each_field(d, [&](std::string_view key, const auto& value) {
    using T = std::decay_t<decltype(value)>;
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
    }
  });
  check_word(where, "activation", d.activation, {"relu", "gelu", "gelu_tanh", "silu"});
  check_word(where, "positions", d.positions, {"sinusoidal", "learned", "relative", "none"});
  check_word(where, "norm", d.norm, {"post", "pre"});
  check_word(where, "attention", d.attention, {"scaled", "unscaled", "additive"});
  check_word(where, "tying", d.tying, {"all", "target", "inputs", "none"});
  check_word(where, "padding", d.padding, {"barred", "ordinary"});
  check_word(where, "norm_kind", d.norm_kind, {"layer", "rms"});
  const std::int64_t highest = std::max({d.eos_id, d.unk_id, d.pad(), d.decoder_start()});
  check<FormatError>(highest < d.target_vocab, "{}: token id {} is outside the vocabulary of {}",
                     where, highest, d.target_vocab);
}

}  // namespace

Json to_json(const ModelDescription& description) {
  Json json = Json::object();
  for_each_field(description, [&](const char* key, const auto& value) { json[key] = value; });
  if (description.task == ModelDescription().task) {
    json.erase("task");  // versions before 0.2 do not know the key
  }
  return json;
}

ModelDescription description_from_json(const Json& json, std::string_view where) {
  check<FormatError>(json.is_object(), "{}: the model's description is not an object", where);
  ModelDescription description;
  std::set<std::string> known;
  for_each_field(description, [&](const char* key, auto& value) {
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
