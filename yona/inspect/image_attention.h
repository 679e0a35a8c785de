// Where a Vision Transformer looked: the weights with which the class token attends to the patches,
// for every layer and head, and attention roll-out (Abnar and Zuidema 2020). A model without a
// class token shows the mean over its patches instead.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/data/images/picture.h"
#include "yona/encode/encoder_answers.h"

namespace yona {

struct ImageAttention {
  std::string name;   // of the picture
  Picture picture{};  // as the model reads it: resized and cut
  bool has_class_token = true;
  std::int64_t rows = 0, columns = 0, heads = 0;  // of patches; of each layer
  std::vector<std::vector<float>> layers{};       // [heads, rows, columns] of each layer
  std::vector<std::vector<float>> roll_out{};     // [rows, columns], from the picture to each layer
  std::vector<LabelScore> labels{};               // the most probable first

  // [rows, columns]: the mean over a layer's heads.
  std::vector<float> mean(std::size_t layer) const;
};

// Throws as read_image_info(), read_image_weights() and prepared() do.
ImageAttention inspect_image(const std::filesystem::path& model, Backend& backend,
                             const Picture& picture, const std::string& name);

// R_l = (½ A_l + ½ I) R_(l-1), with rows that sum to one: how much of each token reaches each token
// of layer l. `weights` is [tokens, tokens] for each layer, the mean over its heads; so is each
// result.
std::vector<std::vector<float>> attention_roll_out(std::span<const std::vector<float>> weights,
                                                   std::size_t tokens);

// One page that needs nothing else: the picture, lit where each head looked.
std::string image_attention_page(const ImageAttention& attention);
// The numbers: {"image", "rows", "columns", "heads", "labels", "layers", "roll_out"}.
std::string image_attention_json(const ImageAttention& attention);

}  // namespace yona
