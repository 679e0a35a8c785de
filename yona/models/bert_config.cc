#include "yona/models/bert_config.h"

#include <array>

#include "yona/base/error.h"
#include "yona/models/attention_keys.h"
#include "yona/models/named_presets.h"
#include "yona/models/value_checks.h"

namespace yona {

namespace {

struct BertPreset {
  std::string_view name;
  std::int64_t layers, d_model, d_ff, heads;
};

// base and large are Devlin et al. 2019, §3; tiny to medium are the sizes of Turc et al. 2019.
constexpr std::array<BertPreset, 6> kBertPresets{{{"bert-tiny", 2, 128, 512, 2},
                                                  {"bert-mini", 4, 256, 1024, 4},
                                                  {"bert-small", 4, 512, 2048, 8},
                                                  {"bert-medium", 8, 512, 2048, 8},
                                                  {"bert-base", 12, 768, 3072, 12},
                                                  {"bert-large", 24, 1024, 4096, 16}}};

}  // namespace

BlockOptions BertConfig::block() const {
  return {
      .d_model = d_model,
      .heads = {.heads = heads, .d_k = d_model / heads, .d_v = d_model / heads},
      .attention = {.kind = attention,
                    .dropout = attention_dropout,
                    .sizes = attention_sizes,
                    .longest = max_positions},
      .feed_forward = {.d_ff = d_ff, .activation = activation},
      .norm = {.position = norm, .dropout = dropout, .epsilon = static_cast<float>(norm_epsilon)}};
}

void check_config(const BertConfig& config) {
  check_between(config.layers, 1, 1000, "model.layers");
  check_between(config.d_model, 1, 1 << 16, "model.d_model");
  check_between(config.d_ff, 1, 1 << 20, "model.d_ff");
  check_between(config.heads, 1, 1024, "model.heads");
  check(config.d_model % config.heads == 0, "model.heads: {} heads do not divide model.d_model {}",
        config.heads, config.d_model);
  check_between(config.max_positions, 3, 1 << 20, "model.max_positions");
  check_between(config.token_types, 0, 1 << 16, "model.token_types");
  check_between(config.vocabulary, 3, 1 << 24, "vocabulary");
  check_attention(config.attention, config.attention_sizes);
  check_attention_dropout(config.attention, config.attention_dropout);
  check(config.norm_epsilon > 0, "the epsilon of the norms, {}, is not above 0",
        config.norm_epsilon);
  for (const double p : {config.dropout, config.attention_dropout, config.classifier_dropout}) {
    check_probability(p, "model.dropout");
  }
}

ConfigKeys<BertConfig> bert_keys() {
  using Config = BertConfig;
  constexpr OnResume kFixed = OnResume::fixed;
  constexpr OnResume kDecides = OnResume::decides;
  ConfigKeys<Config> keys{
      integer("layers", &Config::layers, {1, 1000}, kFixed, "layers of the encoder"),
      integer("d_model", &Config::d_model, {1, 1 << 16}, kFixed, "width of the residual stream"),
      integer("d_ff", &Config::d_ff, {1, 1 << 20}, kFixed,
              "inner width of the feed-forward layers"),
      integer("heads", &Config::heads, {1, 1024}, kFixed, "attention heads"),
      number("dropout", &Config::dropout, kProbability, kDecides,
             "dropout of embeddings and of each sub-layer's output"),
      number("attention_dropout", &Config::attention_dropout, kProbability, kDecides,
             "dropout of the attention weights"),
      number("classifier_dropout", &Config::classifier_dropout, kProbability, kDecides,
             "dropout in front of the classifier"),
      choice("activation", &Config::activation, kFixed,
             "activation of the feed-forward layers; BERT has gelu"),
      choice("norm", &Config::norm, kFixed,
             "layer normalisation after each sub-layer (post, BERT) or before (pre)"),
      integer("max_positions", &Config::max_positions, {3, 1 << 20}, kFixed,
              "longest text in tokens, special ones included"),
      integer("token_types", &Config::token_types, {0, 1 << 16}, kFixed,
              "segments that have a vector of their own; BERT has 2, DistilBERT 0"),
      choice("text_vector", &Config::text_vector, kFixed,
             "what is classified: the vector of the first token, [CLS] (first), or the mean "
             "over all tokens (mean)"),
      choice("pooler", &Config::pooler, kFixed,
             "the layer in front of the classifier: tanh is BERT's, relu DistilBERT's")};
  append(keys, attention_keys(&Config::attention, &Config::attention_sizes));
  return keys;
}

std::vector<std::string> bert_preset_names() { return names_of_presets(kBertPresets); }

BertConfig bert_preset(std::string_view name) {
  const BertPreset& entry = find_preset(kBertPresets, name);
  BertConfig config;
  config.layers = entry.layers;
  config.d_model = entry.d_model;
  config.d_ff = entry.d_ff;
  config.heads = entry.heads;
  return config;
}

}  // namespace yona
