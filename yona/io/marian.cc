// MarianMTModel: post-norm, sinusoids, embeddings shared three ways, two ways or not at all.

#include "yona/io/hf_family.h"

namespace yona {

namespace {

std::string marian_obstacle(const ModelDescription& description) {
  return description.norm != "post" ? "Marian models are post-norm" : common_obstacle(description);
}

// normalize_before and normalize_embedding are for CTranslate2's converter.
Json marian_config(const ModelDescription& d) {
  return {{"decoder_vocab_size", d.target_vocab},
          {"share_encoder_decoder_embeddings", d.tying == "all"},
          {"tie_word_embeddings", d.tying != "none"},
          {"normalize_before", false}};
}

}  // namespace

const HfFamily& marian_family() {
  static constexpr HfFamily kFamily = {
      .model_type = "marian",
      .architecture = "MarianMTModel",
      .norm = "post",
      .saves_positions = false,
      .obstacle = marian_obstacle,
      .config = marian_config,
  };
  return kFamily;
}

}  // namespace yona
