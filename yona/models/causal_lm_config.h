// The numbers of a decoder alone, with those of GPT-2 small as defaults. One table of fields
// (causal_lm_keys()) serves YAML, --set, the documentation and yona's part of config.json.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yona/config/config_key.h"
#include "yona/nn/block.h"
#include "yona/nn/rotary.h"

namespace yona {

// learned: a vector for each position, added to the embedding (GPT-2). rotary: queries and keys
// are turned (Llama).
enum class LmPositions : std::uint8_t { learned, rotary };
constexpr std::array<std::string_view, 2> enum_names(LmPositions) { return {"learned", "rotary"}; }

struct CausalLmConfig {
  std::int64_t vocabulary = 0;  // filled in when the tokeniser is known
  std::int64_t layers = 12;
  std::int64_t d_model = 768;
  std::int64_t d_ff = 3072;
  std::int64_t heads = 12;
  std::int64_t kv_heads = 0;   // grouped-query attention; 0: as many as heads
  std::int64_t head_size = 0;  // 0: d_model / heads
  double dropout = 0.1;        // of embeddings and of each sub-layer's output
  double attention_dropout = 0.1;
  FeedForwardActivation activation = FeedForwardActivation::gelu_tanh;
  bool gated = false;  // feed-forward layers; with silu: SwiGLU (Shazeer 2020)
  NormKind norm = NormKind::layer;
  double norm_epsilon = 1e-5;
  LmPositions positions = LmPositions::learned;
  std::int64_t max_positions = 1024;
  double rotary_base = 10000.0;
  RotaryScaling rotary_scaling = RotaryScaling::none;
  double rotary_factor = 1.0;
  double rotary_low = 1.0, rotary_high = 4.0;  // llama3; and of yarn beta_slow and beta_fast
  double rotary_original = 8192.0;
  // Which keys a token sees. A window with the exact kind is Mistral's: attention is then by
  // window.
  AttentionKind attention = AttentionKind::scaled;
  AttentionSizes attention_sizes{};
  bool reversible = false;  // layers whose inputs follow from their outputs (nn/reversible.h)
  bool qkv_biases = true;
  bool output_biases = true;  // of the attention's output
  bool ff_biases = true;      // of the feed-forward layers
  bool qk_norm = false;       // RMS norm of each head's queries and keys (Qwen3)
  bool tied = true;           // the projection is the embedding
  // What a text begins with when nothing else is given: the first input. -1: none, the first
  // token of the text is not predicted.
  std::int64_t start_id = -1;

  bool operator==(const CausalLmConfig&) const = default;

  HeadShape head_shape() const {
    const std::int64_t size = head_size > 0 ? head_size : d_model / heads;
    return {heads, size, size, kv_heads};
  }
  RotaryOptions rotary_options() const {
    return {.channels = head_shape().d_k,
            .base = rotary_base,
            .max_positions = max_positions,
            .scaling = rotary_scaling,
            .factor = rotary_factor,
            .low_frequency = rotary_low,
            .high_frequency = rotary_high,
            .original_positions = rotary_original};
  }
  // Mistral's window: attention is scaled, and model.window is set.
  bool has_plain_window() const {
    return attention == AttentionKind::scaled && attention_sizes.window > 0;
  }
  // What the layers are built from; `rotary` is null with learned positions.
  BlockOptions block(const RotaryPositions* rotary) const;
};

// Throws InvalidArgument naming the configuration key (model.heads …) that cannot be.
void check_config(const CausalLmConfig& config);

// The fields by name, without vocabulary and start_id, which follow from the tokeniser.
const ConfigKeys<CausalLmConfig>& causal_lm_keys();
// All fields, as yona's part of config.json keeps them.
const ConfigKeys<CausalLmConfig>& causal_lm_fields();

// char, char-small, gpt2-small, gpt2-medium, gpt2-large, gpt2-xl or llama-tiny; throws
// InvalidArgument with the list for others.
CausalLmConfig causal_lm_preset(std::string_view name);
std::vector<std::string> causal_lm_preset_names();

}  // namespace yona
