#include "yona/io/foreign_config.h"

#include <algorithm>
#include <array>
#include <utility>

namespace yona {

int ForeignConfig::small_number(const Json& value, const char* key) const {
  check<FormatError>(
      value.is_number_integer() && value.get<double>() >= 0 && value.get<double>() <= 1 << 30,
      "{}: \"{}\" cannot be {}", where_, key, brief_json(value));
  return value.get<int>();
}

int ForeignConfig::size(const char* key) const { return small_number(get<Json>(key), key); }

int ForeignConfig::token(const char* key) const {
  const Json value = get<Json>(key);
  check<FormatError>(!value.is_array() || value.size() == 1,
                     "{}: \"{}\" is {}; several tokens are not supported, only one", where_, key,
                     value.dump());
  return small_number(value.is_array() ? value[0] : value, key);
}

FeedForwardActivation ForeignConfig::activation(const char* key) const {
  using enum FeedForwardActivation;
  using Named = std::pair<std::string_view, FeedForwardActivation>;
  constexpr std::array<Named, 7> kActivations = {{{"relu", relu},
                                                  {"gelu", gelu},
                                                  {"gelu_new", gelu_tanh},
                                                  {"gelu_fast", gelu_tanh},
                                                  {"gelu_pytorch_tanh", gelu_tanh},
                                                  {"swish", silu},
                                                  {"silu", silu}}};
  const auto name = get<std::string>(key);
  const auto* const found = std::find_if(kActivations.begin(), kActivations.end(),
                                         [&](const Named& named) { return named.first == name; });
  check<FormatError>(found != kActivations.end(),
                     "{}: {} '{}' is not supported; relu, gelu, gelu_new and swish are", where_,
                     key, name);
  return found->second;
}

void ForeignConfig::must_be(const char* key, const Json& value) const {
  check<FormatError>(!has(key) || json_[key] == value,
                     "{}: \"{}\" is {}; of this model_type only {} is supported", where_, key,
                     json_.value(key, Json()).dump(), value.dump());
}

}  // namespace yona
