// PegasusForConditionalGeneration: pre-norm with a norm after each stack, Marian's sinusoids,
// one embedding for both stacks.

#include <array>

#include "yona/io/hf_family.h"

namespace yona {

namespace {

// The table of sinusoids lies with the weights, in their type: f16's are rounded.
constexpr std::array<Renaming, 1> kPositionNames = {
    {{"@.positions.weight", "model.@.embed_positions.weight"}}};

void read_pegasus(const ForeignConfig& config, ModelDescription& d) {
  read_bart_config(config, d);
  config.must_be("static_position_embeddings", true);
  config.must_be("normalize_embedding", false);
  config.must_be("normalize_before", true);
  config.must_be("add_final_layer_norm", true);
  d.config.norm = NormPosition::pre;
}

std::string pegasus_obstacle(const ModelDescription& description) {
  if (description.config.norm != NormPosition::pre) {
    return "Pegasus models are pre-norm";
  }
  if (description.config.tying != Tying::all && description.config.tying != Tying::inputs) {
    return "Pegasus models have one embedding for both stacks, and this one has two";
  }
  return common_obstacle(description);
}

// normalize_before and normalize_embedding are for CTranslate2's converter.
Json pegasus_config(const ModelDescription& description) {
  return {{"tie_word_embeddings", description.config.tying == Tying::all},
          {"normalize_before", true}};
}

}  // namespace

const HfFamily& pegasus_family() {
  static const HfFamily kFamily = {.model_type = "pegasus",
                                   .architecture = "PegasusForConditionalGeneration",
                                   .names = bart_names(),
                                   .more_names = kPositionNames,
                                   .read = read_pegasus,
                                   .obstacle = pegasus_obstacle,
                                   .config = pegasus_config,
                                   .saves_positions = true};
  return kFamily;
}

}  // namespace yona
