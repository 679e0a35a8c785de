// The Vision Transformer (Dosovitskiy et al. 2021, "An image is worth 16x16 words"): the
// Transformer's encoder over the patches of a picture, and a classifier. DeiT (Touvron et al. 2021)
// is the same with a second token in front.
#pragma once

#include <memory>
#include <span>

#include "yona/models/sequence_model.h"
#include "yona/models/transformer.h"
#include "yona/models/vit_config.h"
#include "yona/nn/layers.h"

namespace yona {

// Pictures as they are on the host, cut into patches: of each picture config.patches() rows of
// config.patch_values() numbers, channel by channel (data/images/patches.h).
struct VitImages {
  std::span<const float> patches;
  std::span<const std::uint64_t> image_ids{};  // stable over batches, for dropout; empty: by place
};

// The same on the device. S pictures, n patches and k special tokens each.
struct VitInput {
  Ragged patches;                        // [S·n, P²·C]
  std::shared_ptr<const Layout> tokens;  // of k + n rows a picture
  Tensor first;                          // i32 [S]: the row of each picture's class token
  Tensor second;                         // i32 [S]: that of the distillation token; may be empty
  Tensor no_tokens;                      // i32 [S·(k + n)], all 0
};

// Patches, class token and positions (eq. 1).
class VitEmbedding : public Module {
 public:
  explicit VitEmbedding(const VitConfig& config);
  Ragged operator()(const VitInput& input, Context& c) const;
  DType dtype() const { return patches_.weight().dtype(); }

 private:
  Ragged with_special_tokens(const Ragged& x, const VitInput& input, Context& c) const;

  Parameter class_token_;         // [1, d_model]; empty where there is none
  Parameter distillation_token_;  // the same
  Parameter positions_;           // [k + n, d_model]
  Linear patches_;
  double dropout_;
};

class Vit : public Module {
 public:
  explicit Vit(const VitConfig& config);

  const VitConfig& config() const { return config_; }

  // Throws InvalidArgument for numbers that are not whole pictures.
  VitInput input(const VitImages& images, Region& region) const;
  // The same of patches that are on the device (tensor/ops/patch_numbers.h), [S·n, P²·C].
  VitInput input(const Tensor& patches, std::span<const std::uint64_t> image_ids,
                 Region& region) const;

  // → [S·(k + n), d_model], after the last norm
  Ragged states(const VitInput& input, Context& c) const;

  // The vector of each picture that the classifier reads: → [S, d_model].
  Tensor image_vectors(const VitInput& input, const Ragged& states, Context& c) const;
  // logits = image_vectors · weightᵀ + bias; weight [labels, d_model]
  OutputLayer classifier() const;

  // → [S, labels]: the classifier's, or of DeiT with two of them the mean of both.
  Tensor logits(const VitInput& input, const Ragged& states, Context& c) const;

 private:
  VitConfig config_;
  VitEmbedding embedding_;
  Layers<EncoderLayer> layers_;
  std::unique_ptr<Linear> classifier_;
  std::unique_ptr<Linear> distillation_classifier_;
};

}  // namespace yona
