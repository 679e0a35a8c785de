#include "yona/models/vit_config.h"

#include <array>

#include "yona/base/error.h"
#include "yona/models/named_presets.h"
#include "yona/models/value_checks.h"

namespace yona {

namespace {

struct VitPreset {
  std::string_view name;
  std::int64_t patch, layers, d_model, d_ff, heads;
};

// base is table 1 of the paper, small that of Touvron et al. 2021; tiny is for pictures of 28 or 32
// pixels and has less than a million parameters.
constexpr std::array<VitPreset, 3> kVitPresets{{{"vit-tiny", 4, 6, 128, 256, 4},
                                                {"vit-small", 16, 12, 384, 1536, 6},
                                                {"vit-base", 16, 12, 768, 3072, 12}}};

}  // namespace

BlockOptions VitConfig::block() const {
  return {.d_model = d_model,
          .heads = {.heads = heads, .d_k = d_model / heads, .d_v = d_model / heads},
          .attention = {.dropout = attention_dropout},
          .attention_biases = {.qkv = qkv_bias ? Biases::yes : Biases::no},
          .feed_forward = {.d_ff = d_ff, .activation = activation},
          .norm = {.position = NormPosition::pre,
                   .dropout = dropout,
                   .epsilon = static_cast<float>(norm_epsilon)}};
}

void check_config(const VitConfig& config) {
  check_between(config.layers, 1, 1000, "model.layers");
  check_between(config.d_model, 1, 1 << 16, "model.d_model");
  check_between(config.d_ff, 1, 1 << 20, "model.d_ff");
  check_between(config.heads, 1, 1024, "model.heads");
  check(config.d_model % config.heads == 0, "model.heads: {} heads do not divide model.d_model {}",
        config.heads, config.d_model);
  check_between(config.image_height, 1, 1 << 14, "the pictures' height");
  check_between(config.image_width, 1, 1 << 14, "the pictures' width");
  check(config.channels == 1 || config.channels == 3, "pictures have {} channels, not 1 or 3",
        config.channels);
  check(config.patch >= 1 && config.patch <= config.image_height &&
            config.patch <= config.image_width,
        "model.patch: {} pixels do not fit pictures of {} × {}", config.patch, config.image_height,
        config.image_width);
  check_between(config.stride, 0, config.patch, "model.stride");
  check((config.image_height - config.patch) % config.step() == 0 &&
            (config.image_width - config.patch) % config.step() == 0,
        "model.patch: patches of {} pixels, {} apart, do not cover pictures of {} × {}; choose "
        "model.patch and model.stride so that they do",
        config.patch, config.step(), config.image_height, config.image_width);
  check(config.norm_epsilon > 0, "the epsilon of the norms, {}, is not above 0",
        config.norm_epsilon);
  check(config.image_vector == ImageVector::class_token || !config.distillation_token,
        "a model with a distillation token has a class token too");
  check(config.distillation_token || !config.distillation_classifier,
        "a model with a classifier for the distillation token has such a token");
  for (const double p : {config.dropout, config.attention_dropout}) {
    check_probability(p, "model.dropout");
  }
}

ConfigKeys<VitConfig> vit_keys() {
  return {
      integer("patch", &VitConfig::patch, {1, 1 << 14}, OnResume::fixed,
              "pixels of a patch's side"),
      integer("stride", &VitConfig::stride, {1, 1 << 14, "auto"}, OnResume::fixed,
              "pixels from patch to patch; fewer than the patch's side let patches overlap; auto "
              "is the patch's side, as published"),
      integer("layers", &VitConfig::layers, {1, 1000}, OnResume::fixed, "layers of the encoder"),
      integer("d_model", &VitConfig::d_model, {1, 1 << 16}, OnResume::fixed,
              "width of the residual stream"),
      integer("d_ff", &VitConfig::d_ff, {1, 1 << 20}, OnResume::fixed,
              "inner width of the feed-forward layers"),
      integer("heads", &VitConfig::heads, {1, 1024}, OnResume::fixed, "attention heads"),
      number("dropout", &VitConfig::dropout, kProbability, OnResume::decides,
             "dropout of embeddings and of each sub-layer's output"),
      number("attention_dropout", &VitConfig::attention_dropout, kProbability, OnResume::decides,
             "dropout of the attention weights"),
      choice("activation", &VitConfig::activation, OnResume::fixed,
             "activation of the feed-forward layers; ViT has gelu"),
      flag("qkv_bias", &VitConfig::qkv_bias, OnResume::fixed,
           "whether queries, keys and values have biases"),
      choice("image_vector", &VitConfig::image_vector, OnResume::fixed,
             "what is classified: the state of a class token in front of the patches, or the mean "
             "over the patches")};
}

std::vector<std::string> vit_preset_names() { return names_of_presets(kVitPresets); }

VitConfig vit_preset(std::string_view name) {
  const VitPreset& entry = find_preset(kVitPresets, name);
  VitConfig config;
  config.patch = entry.patch;
  config.layers = entry.layers;
  config.d_model = entry.d_model;
  config.d_ff = entry.d_ff;
  config.heads = entry.heads;
  return config;
}

}  // namespace yona
