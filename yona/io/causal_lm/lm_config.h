// config.json of a language model: GPT-2's, Llama's, Mistral's, Qwen2's and Qwen3's keys, and
// yona's own. A model that one of them can hold is written under their names, so that transformers
// loads it; yona's part has every field.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "yona/base/enum_names.h"
#include "yona/base/json.h"
#include "yona/models/causal_lm_config.h"

namespace yona {

enum class LmFamily : std::uint8_t { gpt2, llama, mistral, qwen2, qwen3, yona };
// As "model_type" has them.
constexpr std::array<std::string_view, 6> enum_names(LmFamily) {
  return {"gpt2", "llama", "mistral", "qwen2", "qwen3", "yona"};
}
inline std::string_view model_type(LmFamily family) { return enum_name(family); }

// The family that can hold the model, the first of the list; yona for none.
LmFamily lm_family(const CausalLmConfig& config);

struct LmDescription {
  CausalLmConfig config;
  LmFamily family = LmFamily::gpt2;  // whose names the weights have
};
// Throws FormatError naming `where` (the file) and the key, also for what is not supported.
LmDescription read_lm_config(const Json& config, std::string_view where);

// What tokens a model begins and ends texts with; -1: none.
struct LmTokens {
  std::int32_t begin = -1, end = -1, pad = -1;
};
Json lm_config(const CausalLmConfig& config, const LmTokens& tokens);
// The config.json of a model that was read from `original` and trained on.
Json trained_lm_config(const Json& original, const CausalLmConfig& config);

}  // namespace yona
