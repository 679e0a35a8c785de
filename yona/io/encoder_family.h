// The families of encoders on the Hugging Face hub (BERT, RoBERTa, DistilBERT): what their
// config.json says, and under which names their weights lie.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/json.h"
#include "yona/io/foreign_config.h"
#include "yona/io/hf_family.h"
#include "yona/models/bert_config.h"

namespace yona {

struct EncoderFamily {
  std::string_view model_type;        // config.json's "model_type"
  std::string_view class_name;        // "Bert": of BertForMaskedLM and its sisters
  std::string_view prefix;            // of the encoder's tensors below a head: "bert."
  std::span<const Renaming> encoder;  // names below the prefix
  std::span<const Renaming> heads;    // names without it
  Pooler pooler = Pooler::tanh;       // of its classification head
  // All but vocabulary-independent heads, which the weights tell.
  BertConfig (*read)(const ForeignConfig& config) = nullptr;
  Json (*write)(const BertConfig& config) = nullptr;
};

const EncoderFamily& bert_encoder();        // Devlin et al. 2019
const EncoderFamily& roberta_encoder();     // Liu et al. 2019
const EncoderFamily& distilbert_encoder();  // Sanh et al. 2019

std::span<const EncoderFamily* const> encoder_families();
// By model_type; null when there is none.
const EncoderFamily* find_encoder_family(std::string_view model_type);

// The names that a parameter can have in the family's files, the one that transformers writes
// first; `has_classifier` says whether the model has that head.
std::vector<std::string> encoder_names(const std::string& parameter, const EncoderFamily& family,
                                       bool has_classifier);

// The activation that a key of the family's config.json names, and its name there.
FeedForwardActivation encoder_activation(const ForeignConfig& config, const char* key);

// The keys that BERT and the Vision Transformer share; both kinds of dropout are `dropout` where
// the file does not say.
template <class Config>
void read_encoder_layers(const ForeignConfig& from, double dropout, Config& to) {
  to.layers = from.size("num_hidden_layers", 12);
  to.d_model = from.size("hidden_size", 768);
  to.d_ff = from.size("intermediate_size", 3072);
  to.heads = from.size("num_attention_heads", 12);
  to.activation = from.has("hidden_act") ? encoder_activation(from, "hidden_act") : to.activation;
  to.dropout = from.get<double>("hidden_dropout_prob", dropout);
  to.attention_dropout = from.get<double>("attention_probs_dropout_prob", dropout);
  to.norm_epsilon = from.get<double>("layer_norm_eps", 1e-12);
}
std::string encoder_activation_name(FeedForwardActivation activation);

// Why the family cannot hold this model; empty when it can.
std::string encoder_obstacle(const BertConfig& config, const EncoderFamily& family);

}  // namespace yona
