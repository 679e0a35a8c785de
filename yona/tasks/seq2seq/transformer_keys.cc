#include "yona/tasks/seq2seq/transformer_keys.h"

#include "yona/models/attention_keys.h"

namespace yona {

namespace {

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

ConfigKeys<TransformerConfig> shape_keys() {
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

}  // namespace

ConfigKeys<TransformerConfig> transformer_keys() {
  ConfigKeys<TransformerConfig> keys = shape_keys();
  append(keys, variant_keys());
  append(keys, attention_keys(&TransformerConfig::attention, &TransformerConfig::attention_sizes));
  return keys;
}

}  // namespace yona
