// The numbers of a Vision Transformer (Dosovitskiy et al. 2021, table 1), with its base model on
// pictures of 224 pixels as defaults, and what DeiT (Touvron et al. 2021) changes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yona/config/config_key.h"
#include "yona/nn/block.h"

namespace yona {

// What is classified: the state of a class token in front of the patches (as published), or the
// mean over the patches, without such a token (appendix D.3: as good with another learning rate).
enum class ImageVector : std::uint8_t { class_token, mean };
constexpr std::array<std::string_view, 2> enum_names(ImageVector) {
  return {"class_token", "mean"};
}

struct VitConfig {
  std::int64_t image_height = 224, image_width = 224;
  std::int64_t channels = 3;
  std::int64_t patch = 16;  // pixels of a patch's side, P in the paper
  std::int64_t stride = 0;  // pixels from patch to patch; 0: the patch's side, as published
  std::int64_t layers = 12;
  std::int64_t d_model = 768;
  std::int64_t d_ff = 3072;
  std::int64_t heads = 12;
  double dropout = 0.0;            // of embeddings and of each sub-layer's output
  double attention_dropout = 0.0;  // of the attention weights
  FeedForwardActivation activation = FeedForwardActivation::gelu;
  double norm_epsilon = 1e-12;
  bool qkv_bias = true;  // have queries, keys and values biases?
  ImageVector image_vector = ImageVector::class_token;
  // DeiT's second token. One of the hub's DeiT models has a classifier for it too, and answers with
  // the mean of both.
  bool distillation_token = false;
  bool distillation_classifier = false;
  std::int64_t labels = 0;

  std::int64_t step() const { return stride > 0 ? stride : patch; }
  std::int64_t patches() const {
    return ((image_height - patch) / step() + 1) * ((image_width - patch) / step() + 1);
  }
  std::int64_t patch_values() const { return patch * patch * channels; }
  std::int64_t special_tokens() const {
    return (image_vector == ImageVector::class_token ? 1 : 0) + (distillation_token ? 1 : 0);
  }
  std::int64_t tokens() const { return special_tokens() + patches(); }
  BlockOptions block() const;
};

// Throws InvalidArgument naming the key.
void check_config(const VitConfig& config);

// The one table of its fields: the keys model.* of a run, and "yona" in config.json. What the data
// decide (the pictures' size, labels) and what a family fixes is not among them.
ConfigKeys<VitConfig> vit_keys();

std::vector<std::string> vit_preset_names();
// Throws InvalidArgument with the list of names.
VitConfig vit_preset(std::string_view name);

}  // namespace yona
