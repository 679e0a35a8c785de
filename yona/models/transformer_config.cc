#include "yona/models/transformer_config.h"

#include <array>

#include "yona/base/error.h"
#include "yona/models/attention_keys.h"

namespace yona {

namespace {

struct Preset {
  std::string_view name;
  std::int64_t layers, d_model, d_ff, heads;
  double dropout;
};

// base and big are Table 3 of the paper; tiny and iwslt are the usual sizes for small corpora.
constexpr std::array<Preset, 4> kPresets{{{"tiny", 4, 128, 256, 4, 0.3},
                                          {"iwslt", 6, 512, 1024, 4, 0.3},
                                          {"base", 6, 512, 2048, 8, 0.1},
                                          {"big", 6, 1024, 4096, 16, 0.3}}};

void check_probability(double value, std::string_view key) {
  check(value >= 0.0 && value < 1.0, "{}: {} is not a probability in [0, 1)", key, value);
}

void check_size(std::int64_t value, std::int64_t least, std::int64_t most, std::string_view key) {
  check(value >= least && value <= most, "{}: {} is not between {} and {}", key, value, least,
        most);
}

}  // namespace

void check_config(const TransformerConfig& config) {
  check_size(config.encoder_layers, 1, 1000, "model.encoder_layers");
  check_size(config.decoder_layers, 1, 1000, "model.decoder_layers");
  check_size(config.d_model, 1, 1 << 16, "model.d_model");
  check_size(config.d_ff, 1, 1 << 20, "model.d_ff");
  check_size(config.heads, 1, 1024, "model.heads");
  check(config.d_k >= 0, "model.d_k: {} is negative; 0 takes d_model / heads", config.d_k);
  check(config.d_v >= 0, "model.d_v: {} is negative; 0 takes d_model / heads", config.d_v);
  check(config.d_k > 0 || config.d_model % config.heads == 0,
        "model.heads: {} heads do not divide model.d_model {}; set model.d_k and model.d_v",
        config.heads, config.d_model);
  check(config.d_v > 0 || config.d_model % config.heads == 0,
        "model.heads: {} heads do not divide model.d_model {}; set model.d_v", config.heads,
        config.d_model);
  check_size(config.head_shape().d_k, 1, 4096, "model.d_k");
  check_size(config.head_shape().d_v, 1, 4096, "model.d_v");
  check_probability(config.dropout, "model.dropout");
  check_probability(config.attention_dropout, "model.attention_dropout");
  check_probability(config.activation_dropout, "model.activation_dropout");
  check_size(config.max_positions, 1, 1 << 20, "model.max_positions");
  check_causal_attention(config.attention, config.attention_sizes);
  check(config.attention != AttentionKind::dilated || config.positions != PositionKind::relative,
        "model.attention: dilated takes no relative positions; set model.positions to sinusoidal");
  check(config.positions != PositionKind::rotary || config.head_shape().d_k % 2 == 0,
        "model.positions: rotary positions turn pairs of channels, and model.d_k {} is odd",
        config.head_shape().d_k);
  check(config.position_base > 1.0, "model.position_base: {} is not above 1", config.position_base);
  check_size(config.source_vocabulary, 3, 1 << 24, "source vocabulary");
  check_size(config.target_vocabulary, 3, 1 << 24, "target vocabulary");
  check(config.departures.start_id < config.target_vocabulary,
        "the decoder's first input {} is outside the target vocabulary of {} pieces",
        config.departures.start_id, config.target_vocabulary);
  check(config.departures.start_id >= 0 || config.departures.padding == Padding::barred,
        "the decoder's first input is not given");
  check(config.departures.norm_epsilon > 0, "the epsilon of the norms, {}, is not above 0",
        config.departures.norm_epsilon);
  const bool shares_inputs = config.tying == Tying::all || config.tying == Tying::inputs;
  check(!shares_inputs || config.source_vocabulary == config.target_vocabulary,
        "model.tying: all embeddings cannot be one with vocabularies of {} and {} pieces; use "
        "target or none",
        config.source_vocabulary, config.target_vocabulary);
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  names.reserve(kPresets.size());
  for (const Preset& entry : kPresets) {
    names.emplace_back(entry.name);
  }
  return names;
}

TransformerConfig preset(std::string_view name) {
  for (const Preset& entry : kPresets) {
    if (entry.name == name) {
      TransformerConfig config;
      config.encoder_layers = config.decoder_layers = entry.layers;
      config.d_model = entry.d_model;
      config.d_ff = entry.d_ff;
      config.heads = entry.heads;
      config.dropout = entry.dropout;
      return config;
    }
  }
  fail("preset: '{}' is unknown; use {}", name, fmt::join(preset_names(), ", "));
}

}  // namespace yona
