// Yona's models as Hugging Face folders, and Hugging Face's as yona's.
//
// A model that MarianMTModel (post-norm) or PegasusForConditionalGeneration (pre-norm) can hold is
// written under their tensor names and config keys; any other keeps yona's own names and
// `"model_type": "yona"`. Either way `"yona"` in config.json holds the whole description.
#pragma once

#include <deque>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/json.h"
#include "yona/io/hf_family.h"
#include "yona/io/model_description.h"
#include "yona/io/safetensors.h"

namespace yona {

// The family that holds the model, or none and the reason, to be told to the user.
struct FamilyChoice {
  const HfFamily* family = nullptr;
  std::string reason;
};
FamilyChoice choose_family(const ModelDescription& description);

// What a folder's generation_config.json tells transformers to do.
struct GenerationDefaults {
  int beams = 4;
  double length_penalty = 0.6;
  int max_length = 512;
};

Json huggingface_config(const ModelDescription& description);
Json generation_config(const ModelDescription& description,
                       const GenerationDefaults& defaults = {});
Json tokenizer_config(const ModelDescription& description);
Json special_tokens_map();

// Writes config.json, generation_config.json, tokenizer_config.json and special_tokens_map.json,
// each replaced atomically. Throws IoError.
void write_model_configs(const std::filesystem::path& folder, const ModelDescription& description,
                         const GenerationDefaults& defaults = {});

// The description in a config.json of yona's or of a family's (hf_family.h). Throws FormatError,
// naming `where` (the file), for other model types and for values that are missing or wrong.
ModelDescription read_description(const Json& config, std::string_view where);

// The tensors of a model file: the given parameters under the family's names (embeddings that are
// one, but not with all others, once for each use), and those that the family wants besides (the
// bias that bars <pad>, position tables). The family is the one that the
// model was read from, or for yona's own the one that can hold it, if any. The parameters' data is
// not copied and must outlive this object. Throws InvalidArgument for a parameter without a place.
class HuggingFaceWeights {
 public:
  HuggingFaceWeights(const ModelDescription& description, std::span<const NamedArray> parameters);

  std::span<const NamedArray> arrays() const { return arrays_; }
  // What transformers wants to see in the file.
  static SafetensorsMetadata metadata() { return {{"format", "pt"}}; }

 private:
  void add_embeddings(const ModelDescription& description, const HfFamily& family,
                      std::span<const NamedArray> parameters);
  void add_final_bias(const ModelDescription& description, const NamedArray* projection_bias);
  void add_positions(const ModelDescription& description);
  void add_unused_positions(const ModelDescription& description, NamedArray& table);

  std::vector<NamedArray> arrays_;
  std::deque<std::vector<float>> tables_;  // learned positions with the rows that belong to none
  std::vector<float> final_bias_;
  std::vector<float> positions_;
};

}  // namespace yona
