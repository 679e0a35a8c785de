// A family of Hugging Face models that can hold a yona Transformer: what it can express, what its
// config.json adds, and which tensors it wants besides the parameters. One file per family.
#pragma once

#include <string>
#include <string_view>

#include "yona/base/json.h"
#include "yona/io/model_description.h"

namespace yona {

struct HfFamily {
  std::string_view model_type;    // config.json's "model_type"
  std::string_view architecture;  // the class, first in "architectures"
  std::string_view norm;          // as in ModelDescription
  bool saves_positions;           // wants embed_positions.weight in the file
  // Why the family cannot hold this model; empty when it can.
  std::string (*obstacle)(const ModelDescription& description);
  // The config keys that differ between families.
  Json (*config)(const ModelDescription& description);
};

// MarianMTModel: post-norm. Junczys-Dowmunt et al. 2018.
const HfFamily& marian_family();
// PegasusForConditionalGeneration: pre-norm with final norms. Zhang et al. 2020.
const HfFamily& pegasus_family();

// What neither family can hold (head sizes, attention, positions, separate vocabularies); empty
// when there is nothing.
std::string common_obstacle(const ModelDescription& description);

}  // namespace yona
