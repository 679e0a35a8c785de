// A family of Hugging Face models: what its config.json says, under which names its weights lie,
// and, for those that yona writes too, which models it can hold. One file per family.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/json.h"
#include "yona/io/foreign_config.h"
#include "yona/io/model_description.h"

namespace yona {

// A parameter's name in yona and in a family, or how both begin. @ stands for encoder or decoder, #
// for the number of a layer.
struct Renaming {
  std::string_view ours, theirs;
};

// The family's name of a parameter, where the rule is for it. A rule that ends in a dot is for all
// that follows it: weight and bias.
std::optional<std::string> renamed(std::string_view name, const Renaming& rule);

struct HfFamily {
  std::string_view model_type;    // config.json's "model_type"
  std::string_view architecture;  // the class, first in "architectures"
  std::span<const Renaming> names;
  std::span<const Renaming> more_names{};  // those that others of the same naming lack
  // Fills a description from a config.json that has this model_type.
  void (*read)(const ForeignConfig& config, ModelDescription& description);
  // Why the family cannot hold this model, empty when it can; null for a family that yona reads
  // but does not write.
  std::string (*obstacle)(const ModelDescription& description) = nullptr;
  // The config keys, when writing, that differ between families.
  Json (*config)(const ModelDescription& description) = nullptr;
  bool saves_positions = false;  // wants embed_positions.weight in the file
  bool has_final_bias = true;    // final_logits_bias
  bool learns_padding = false;   // is <pad> as an input learned like others (no padding_idx)?
  // Does transformers tie what the file does not hold even where tie_word_embeddings is false?
  bool always_ties = false;
};

// MarianMTModel (OPUS-MT): post-norm. Junczys-Dowmunt et al. 2018.
const HfFamily& marian_family();
// PegasusForConditionalGeneration: pre-norm with final norms. Zhang et al. 2020.
const HfFamily& pegasus_family();
// BartForConditionalGeneration: post-norm, learned positions. Lewis et al. 2020.
const HfFamily& bart_family();
// MBartForConditionalGeneration (mBART, mBART-50): pre-norm. Liu et al. 2020.
const HfFamily& mbart_family();
// M2M100ForConditionalGeneration (M2M100, NLLB-200): pre-norm, fairseq's sinusoids. Fan et al.
// 2021.
const HfFamily& m2m_100_family();
// T5ForConditionalGeneration (T5, T5 1.1, FLAN-T5) and its multilingual sister. Raffel et al. 2020.
const HfFamily& t5_family();
const HfFamily& mt5_family();

std::span<const HfFamily* const> hf_families();
// By model_type; null when there is none.
const HfFamily* find_family(std::string_view model_type);

// The names that Marian, Pegasus, mBART and M2M100 took from BART.
std::span<const Renaming> bart_names();
// The config keys that all of these share.
void read_bart_config(const ForeignConfig& config, ModelDescription& description);

// Where `parameter`, named as yona names it, is in the family's files: the names to try, in order.
// Empty for a parameter that the family does not have.
std::vector<std::string> huggingface_names(const std::string& parameter,
                                           const HfFamily& family = marian_family());

// Parameters of a family's model that transformers keeps as buffers, so that no training changes
// them: the bias on the logits, sinusoids that lie with the weights. None for yona's own.
std::vector<std::string> constant_parameters(const ModelDescription& description);

// What neither family that yona writes can hold (head sizes, attention, positions, separate
// vocabularies); empty when there is nothing.
std::string common_obstacle(const ModelDescription& description);
// The settings of training with which the model would fit one of them:
// "model.positions=sinusoidal".
std::string remedy(const ModelDescription& description);

}  // namespace yona
