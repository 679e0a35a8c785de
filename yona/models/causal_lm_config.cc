#include "yona/models/causal_lm_config.h"

#include <algorithm>
#include <utility>

#include "yona/base/error.h"
#include "yona/models/attention_keys.h"

namespace yona {

namespace {

constexpr OnResume kFixed = OnResume::fixed;
constexpr OnResume kDecides = OnResume::decides;
using Config = CausalLmConfig;

ConfigKeys<Config> shape_keys() {
  return {
      integer("layers", &Config::layers, {1, 1000}, kFixed, "layers of the decoder"),
      integer("d_model", &Config::d_model, {1, 1 << 16}, kFixed, "width of the residual stream"),
      integer("d_ff", &Config::d_ff, {1, 1 << 20}, kFixed,
              "inner width of the feed-forward layers"),
      integer("heads", &Config::heads, {1, 1024}, kFixed, "attention heads"),
      integer("kv_heads", &Config::kv_heads, {1, 1024, "auto"}, kFixed,
              "heads of keys and values, each read by heads / kv_heads of queries "
              "(grouped-query attention); auto is as many as heads"),
      integer("head_size", &Config::head_size, {1, 4096, "auto"}, kFixed,
              "width of a head; auto is d_model / heads"),
      number("dropout", &Config::dropout, kProbability, kDecides,
             "dropout of embeddings and of each sub-layer's output"),
      number("attention_dropout", &Config::attention_dropout, kProbability, kDecides,
             "dropout of the attention weights"),
      config_key("tied", &Config::tied, bool_codec(), kFixed,
                 "the matrix that makes logits is the embedding")};
}

ConfigKeys<Config> layer_keys() {
  return {choice("activation", &Config::activation, kFixed,
                 "activation of the feed-forward layers; GPT-2 has gelu_tanh, Llama silu"),
          config_key("gated", &Config::gated, bool_codec(), kFixed,
                     "feed-forward layers with a gate; with silu this is SwiGLU (Llama)"),
          choice("norm", &Config::norm, kFixed,
                 "layer norm (GPT-2), RMS norm (Llama) or batch norm, before each sub-layer"),
          number("norm_epsilon", &Config::norm_epsilon, kPositive, kFixed, "epsilon of the norms"),
          config_key("qkv_biases", &Config::qkv_biases, bool_codec(), kFixed,
                     "biases of queries, keys and values (GPT-2, Qwen2)"),
          config_key("output_biases", &Config::output_biases, bool_codec(), kFixed,
                     "biases of the attention's output (GPT-2)"),
          config_key("ff_biases", &Config::ff_biases, bool_codec(), kFixed,
                     "biases of the feed-forward layers (GPT-2)"),
          config_key("qk_norm", &Config::qk_norm, bool_codec(), kFixed,
                     "RMS norm of each head's queries and keys (Qwen3)"),
          reversible_key(&Config::reversible)};
}

ConfigKeys<Config> position_keys() {
  return {choice("positions", &Config::positions, kFixed,
                 "learned vectors (GPT-2) or rotary positions (Llama)"),
          integer("max_positions", &Config::max_positions, {1, 1 << 24}, kFixed,
                  "the longest context in tokens"),
          number("rotary_base", &Config::rotary_base, {.least = 1.0, .open_below = true}, kFixed,
                 "base of the rotary angles, rope_theta on the hub"),
          choice("rotary_scaling", &Config::rotary_scaling, kFixed,
                 "how angles are changed for contexts longer than first trained on"),
          number("rotary_factor", &Config::rotary_factor, kPositive, kFixed,
                 "how many times longer, with rotary_scaling"),
          number("rotary_low", &Config::rotary_low, kPositive, kFixed,
                 "low_freq_factor of llama3's scaling"),
          number("rotary_high", &Config::rotary_high, kPositive, kFixed,
                 "high_freq_factor of llama3's scaling"),
          number("rotary_original", &Config::rotary_original, kPositive, kFixed,
                 "context in tokens before rotary_scaling")};
}

ConfigKeys<Config> make_keys() {
  ConfigKeys<Config> keys = shape_keys();
  append(keys, layer_keys());
  append(keys, attention_keys(&Config::attention, &Config::attention_sizes));
  append(keys, position_keys());
  return keys;
}

ConfigKeys<Config> make_fields() {
  ConfigKeys<Config> keys{
      integer("vocabulary", &Config::vocabulary, {1, 1 << 24}, kFixed, "tokens of the vocabulary"),
      integer("start_id", &Config::start_id, {-1, 1 << 24}, kFixed,
              "the token that a text begins with; -1 is none")};
  append(keys, make_keys());
  return keys;
}

// Radford et al. 2019, Table 2: layers and width; heads of 64.
Config gpt2(std::int64_t layers, std::int64_t width) {
  Config config;
  config.layers = layers;
  config.d_model = width;
  config.d_ff = 4 * width;
  config.heads = width / 64;
  return config;
}

// nanoGPT's models of characters, with the biases of GPT-2.
Config char_model(std::int64_t layers, std::int64_t width, std::int64_t heads, std::int64_t context,
                  double dropout) {
  Config config = gpt2(layers, width);
  config.heads = heads;
  config.max_positions = context;
  config.dropout = dropout;
  config.attention_dropout = dropout;
  return config;
}

// Llama's layers (Touvron et al. 2023), small: about 15 million parameters and the embedding.
Config llama_tiny() {
  Config config;
  config.layers = 6;
  config.d_model = 384;
  config.d_ff = 1024;
  config.heads = 6;
  config.kv_heads = 2;
  config.dropout = 0.0;
  config.attention_dropout = 0.0;
  config.activation = FeedForwardActivation::silu;
  config.gated = true;
  config.norm = NormKind::rms;
  config.positions = LmPositions::rotary;
  config.max_positions = 512;
  config.qkv_biases = config.output_biases = config.ff_biases = false;
  return config;
}

const std::vector<std::pair<std::string, Config>>& presets() {
  static const std::vector<std::pair<std::string, Config>> all{
      {"char", char_model(6, 384, 6, 256, 0.2)},
      {"char-small", char_model(4, 128, 4, 64, 0.0)},
      {"gpt2-small", gpt2(12, 768)},
      {"gpt2-medium", gpt2(24, 1024)},
      {"gpt2-large", gpt2(36, 1280)},
      {"gpt2-xl", gpt2(48, 1600)},
      {"llama-tiny", llama_tiny()}};
  return all;
}

}  // namespace

BlockOptions CausalLmConfig::block(const RotaryPositions* rotary) const {
  const auto biases = [](bool there) { return there ? Biases::yes : Biases::no; };
  return {.d_model = d_model,
          .heads = head_shape(),
          .attention = {.kind = has_plain_window() ? AttentionKind::window : attention,
                        .dropout = attention_dropout,
                        .rotary = rotary,
                        .qk_norm_epsilon = qk_norm ? norm_epsilon : 0.0,
                        .sizes = attention_sizes},
          .attention_biases = {biases(qkv_biases), biases(output_biases)},
          .feed_forward = {d_ff, activation, gated, biases(ff_biases)},
          .norm = {NormPosition::pre, dropout, norm, static_cast<float>(norm_epsilon)},
          .reversible = reversible};
}

void check_config(const CausalLmConfig& config) {
  check(config.vocabulary > 0, "model: a vocabulary of {} tokens", config.vocabulary);
  check(config.head_size > 0 || config.d_model % config.heads == 0,
        "model.heads: {} heads do not divide model.d_model {}; give model.head_size", config.heads,
        config.d_model);
  check(config.kv_heads == 0 || config.heads % config.kv_heads == 0,
        "model.kv_heads: {} does not divide model.heads {}", config.kv_heads, config.heads);
  check(config.positions != LmPositions::rotary || config.head_shape().d_k % 2 == 0,
        "model.head_size: rotary positions turn pairs of channels, and {} is odd",
        config.head_shape().d_k);
  check(config.rotary_scaling != RotaryScaling::llama3 || config.rotary_high > config.rotary_low,
        "model.rotary_high: {} is not above model.rotary_low {}", config.rotary_high,
        config.rotary_low);
  if (!config.has_plain_window()) {
    check_causal_attention(config.attention, config.attention_sizes);
  }
  check_attention_dropout(config.attention, config.attention_dropout);
  check(config.attention != AttentionKind::additive,
        "model.attention: language models have no additive attention; use scaled");
  check(config.start_id < config.vocabulary, "model: the first token {} is not below {}",
        config.start_id, config.vocabulary);
}

const ConfigKeys<CausalLmConfig>& causal_lm_keys() {
  static const ConfigKeys<Config> keys = make_keys();
  return keys;
}

const ConfigKeys<CausalLmConfig>& causal_lm_fields() {
  static const ConfigKeys<Config> keys = make_fields();
  return keys;
}

CausalLmConfig causal_lm_preset(std::string_view name) {
  for (const auto& [key, config] : presets()) {
    if (key == name) {
      return config;
    }
  }
  fail("preset: '{}' is not a language model; expected {}", name,
       join_names(causal_lm_preset_names()));
}

std::vector<std::string> causal_lm_preset_names() {
  std::vector<std::string> names;
  for (const auto& each : presets()) {
    names.push_back(each.first);
  }
  return names;
}

}  // namespace yona
