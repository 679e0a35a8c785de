// PegasusForConditionalGeneration: pre-norm with a norm after each stack, Marian's sinusoids,
// embeddings always shared three ways.

#include "yona/io/hf_family.h"

namespace yona {

namespace {

std::string pegasus_obstacle(const ModelDescription& description) {
  if (description.norm != "pre") {
    return "Pegasus models are pre-norm";
  }
  if (description.tying != "all") {
    return "Pegasus models share all embeddings, and this one does not";
  }
  return common_obstacle(description);
}

// normalize_before and normalize_embedding are for CTranslate2's converter.
Json pegasus_config(const ModelDescription& /*description*/) {
  return {{"tie_word_embeddings", true}, {"normalize_before", true}};
}

}  // namespace

const HfFamily& pegasus_family() {
  static constexpr HfFamily kFamily = {
      .model_type = "pegasus",
      .architecture = "PegasusForConditionalGeneration",
      .norm = "pre",
      .saves_positions = true,
      .obstacle = pegasus_obstacle,
      .config = pegasus_config,
  };
  return kFamily;
}

}  // namespace yona
