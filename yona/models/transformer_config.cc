#include "yona/models/transformer_config.h"

#include <array>

#include "yona/base/enum_names.h"
#include "yona/base/error.h"
#include "yona/models/attention_keys.h"
#include "yona/models/named_presets.h"
#include "yona/models/value_checks.h"

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

ConfigKey<TransformerConfig> layers_key() {
  using Config = TransformerConfig;
  ConfigKey<Config> key = integer("layers", &Config::encoder_layers, {1, 1000}, OnResume::fixed,
                                  "layers of the encoder and of the decoder, N in the paper");
  key.role = KeyRole::shorthand;
  key.set = [set = key.set](Config& config, const ConfigNode& node, const ConfigSource& source) {
    set(config, node, source);
    config.decoder_layers = config.encoder_layers;
  };
  return key;
}

ConfigKeys<TransformerConfig> transformer_shape_keys() {
  using Config = TransformerConfig;
  return {layers_key(),
          integer("encoder_layers", &Config::encoder_layers, {1, 1000}, OnResume::fixed,
                  "layers of the encoder"),
          integer("decoder_layers", &Config::decoder_layers, {1, 1000}, OnResume::fixed,
                  "layers of the decoder"),
          integer("d_model", &Config::d_model, {1, 1 << 16}, OnResume::fixed,
                  "width of the residual stream"),
          integer("d_ff", &Config::d_ff, {1, 1 << 20}, OnResume::fixed,
                  "inner width of the feed-forward layers"),
          integer("heads", &Config::heads, {1, 1024}, OnResume::fixed,
                  "attention heads, h in the paper"),
          integer("d_k", &Config::d_k, {1, 4096, "auto"}, OnResume::fixed,
                  "width of a head's queries and keys; auto is d_model / heads"),
          integer("d_v", &Config::d_v, {1, 4096, "auto"}, OnResume::fixed,
                  "width of a head's values; auto is d_model / heads"),
          choice("tying", &Config::tying, OnResume::fixed,
                 "which embedding matrices are one: source, target and output (all), target "
                 "and output (target), source and target (inputs), none; all becomes target "
                 "with separate vocabularies")};
}

ConfigKeys<TransformerConfig> variant_keys() {
  using Config = TransformerConfig;
  return {number("dropout", &Config::dropout, kProbability, OnResume::decides,
                 "dropout of embeddings and of each sub-layer's output, P_drop in the paper"),
          number("attention_dropout", &Config::attention_dropout, kProbability, OnResume::decides,
                 "dropout of the attention weights; the paper has none"),
          number("activation_dropout", &Config::activation_dropout, kProbability, OnResume::decides,
                 "dropout inside the feed-forward layers; the paper has none"),
          choice("activation", &Config::activation, OnResume::fixed,
                 "activation of the feed-forward layers; the paper has relu"),
          choice("norm", &Config::norm, OnResume::fixed,
                 "layer normalisation after each sub-layer (post, the paper) or before (pre)"),
          choice("positions", &Config::positions, OnResume::fixed,
                 "what tells tokens apart by their place; learned is row E of Table 3, relative "
                 "is T5's, rotary Llama's"),
          number("position_base", &Config::position_base, {.least = 1.0, .open_below = true},
                 OnResume::fixed, "base of the sinusoids' wavelengths"),
          integer("max_positions", &Config::max_positions, {1, 1 << 20}, OnResume::fixed,
                  "longest sentence in tokens that the model has positions for")};
}

// What no run sets: the vocabularies follow from the sub-words, the rest from a model's family.
ConfigKeys<Departures> departure_keys() {
  constexpr OnResume kFixed = OnResume::fixed;
  constexpr std::int64_t kMost = 1 << 24;
  return {
      flag("scale_embedding", &Departures::scaled_embedding, kFixed,
           "embeddings are multiplied by √d_model"),
      flag("projection_bias", &Departures::projection_bias, kFixed, "a bias on the logits"),
      choice("padding", &Departures::padding, kFixed, "whether <pad> is outside the softmax"),
      number("norm_epsilon", &Departures::norm_epsilon, kPositive, kFixed, "added to the variance"),
      flag("embedding_norm", &Departures::embedding_norm, kFixed,
           "a norm of the sum of embedding and position"),
      flag("gated", &Departures::gated, kFixed, "gated feed-forward layers"),
      flag("biases", &Departures::biases, kFixed, "biases of the products in the layers"),
      flag("scale_output", &Departures::scaled_output, kFixed,
           "states are multiplied by 1/√d_model before the projection"),
      integer("first_position", &Departures::first_position, {0, kMost}, kFixed,
              "where the sinusoids begin, or the unused rows of a file's learned positions"),
      integer("relative_buckets", &Departures::relative_buckets, {1, kMost}, kFixed,
              "buckets of relative positions"),
      integer("relative_reach", &Departures::relative_reach, {1, kMost}, kFixed,
              "the longest distance that has a bucket of its own"),
      integer("decoder_start_id", &Departures::start_id, {-1, kMost}, kFixed,
              "the decoder's first input; -1 is <pad>")};
}

// The one departure that a run sets.
ConfigKeys<Departures> norm_keys() {
  return {choice("norm_kind", &Departures::norm_kind, OnResume::fixed,
                 "what is normalised: the channels of a token (layer, the paper; rms, as T5 has "
                 "it), or each channel over all tokens of a batch (batch)")};
}

ConfigKeys<TransformerConfig> make_transformer_keys() {
  ConfigKeys<TransformerConfig> keys = transformer_shape_keys();
  append(keys, variant_keys());
  append(keys, lift("", &TransformerConfig::departures, norm_keys()));
  append(keys, attention_keys(&TransformerConfig::attention, &TransformerConfig::attention_sizes));
  append(keys, {reversible_key(&TransformerConfig::reversible)});
  return keys;
}

ConfigKeys<TransformerConfig> make_transformer_fields() {
  using Config = TransformerConfig;
  ConfigKeys<TransformerConfig> keys = make_transformer_keys();
  append(keys, lift("", &Config::departures, departure_keys()));
  append(keys, {integer("source_vocab", &Config::source_vocabulary, {1, 1 << 24}, OnResume::fixed,
                        "pieces of the source, <pad> included"),
                integer("target_vocab", &Config::target_vocabulary, {1, 1 << 24}, OnResume::fixed,
                        "pieces of the target, <pad> included")});
  return keys;
}

}  // namespace

const ConfigKeys<TransformerConfig>& transformer_keys() {
  static const ConfigKeys<TransformerConfig> keys = make_transformer_keys();
  return keys;
}

const ConfigKeys<TransformerConfig>& transformer_fields() {
  static const ConfigKeys<TransformerConfig> keys = make_transformer_fields();
  return keys;
}

void check_config(const TransformerConfig& config) {
  check_between(config.encoder_layers, 1, 1000, "model.encoder_layers");
  check_between(config.decoder_layers, 1, 1000, "model.decoder_layers");
  check_between(config.d_model, 1, 1 << 16, "model.d_model");
  check_between(config.d_ff, 1, 1 << 20, "model.d_ff");
  check_between(config.heads, 1, 1024, "model.heads");
  check(config.d_k >= 0, "model.d_k: {} is negative; 0 takes d_model / heads", config.d_k);
  check(config.d_v >= 0, "model.d_v: {} is negative; 0 takes d_model / heads", config.d_v);
  check(config.d_k > 0 || config.d_model % config.heads == 0,
        "model.heads: {} heads do not divide model.d_model {}; set model.d_k and model.d_v",
        config.heads, config.d_model);
  check(config.d_v > 0 || config.d_model % config.heads == 0,
        "model.heads: {} heads do not divide model.d_model {}; set model.d_v", config.heads,
        config.d_model);
  check_between(config.head_shape().d_k, 1, 4096, "model.d_k");
  check_between(config.head_shape().d_v, 1, 4096, "model.d_v");
  check_probability(config.dropout, "model.dropout");
  check_probability(config.attention_dropout, "model.attention_dropout");
  check_probability(config.activation_dropout, "model.activation_dropout");
  check_between(config.max_positions, 1, 1 << 20, "model.max_positions");
  check_causal_attention(config.attention, config.attention_sizes);
  check_attention_dropout(config.attention, config.attention_dropout);
  const bool takes_distances = config.attention != AttentionKind::dilated &&
                               config.attention != AttentionKind::performer &&
                               config.attention != AttentionKind::reformer;
  check(takes_distances || config.positions != PositionKind::relative,
        "model.attention: {} takes no relative positions; set model.positions to sinusoidal",
        enum_name(config.attention));
  check(!config.reversible || config.norm == NormPosition::pre,
        "model.reversible: reversible layers have their norms first; set model.norm to pre");
  check(config.positions != PositionKind::rotary || config.head_shape().d_k % 2 == 0,
        "model.positions: rotary positions turn pairs of channels, and model.d_k {} is odd",
        config.head_shape().d_k);
  check(config.position_base > 1.0, "model.position_base: {} is not above 1", config.position_base);
  check_between(config.source_vocabulary, 3, 1 << 24, "source vocabulary");
  check_between(config.target_vocabulary, 3, 1 << 24, "target vocabulary");
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

std::vector<std::string> preset_names() { return names_of_presets(kPresets); }

TransformerConfig preset(std::string_view name) {
  const Preset& entry = find_preset(kPresets, name);
  TransformerConfig config;
  config.encoder_layers = config.decoder_layers = entry.layers;
  config.d_model = entry.d_model;
  config.d_ff = entry.d_ff;
  config.heads = entry.heads;
  config.dropout = entry.dropout;
  return config;
}

}  // namespace yona
