// The numbers of a BERT (Devlin et al. 2019, §3), with its base model as defaults, and what RoBERTa
// (Liu et al. 2019) and DistilBERT (Sanh et al. 2019) change.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yona/config/config_key.h"
#include "yona/nn/block.h"

namespace yona {

// Which vector represents a text in front of the classification head: that of its first token
// ([CLS], as published) or the mean over all of its tokens.
enum class TextVector : std::uint8_t { first, mean };
constexpr std::array<std::string_view, 2> enum_names(TextVector) { return {"first", "mean"}; }

// The layer between that vector and the classifier. tanh: BERT's pooler and RoBERTa's
// classifier.dense; relu: DistilBERT's pre_classifier; none: the classifier reads the vector.
enum class Pooler : std::uint8_t { none, tanh, relu };
constexpr std::array<std::string_view, 3> enum_names(Pooler) { return {"none", "tanh", "relu"}; }

struct BertConfig {
  std::int64_t vocabulary = 0;
  std::int64_t layers = 12;
  std::int64_t d_model = 768;
  std::int64_t d_ff = 3072;
  std::int64_t heads = 12;
  double dropout = 0.1;            // of embeddings and of each sub-layer's output
  double attention_dropout = 0.1;  // of the attention weights
  double classifier_dropout = 0.1;
  AttentionKind attention = AttentionKind::scaled;
  AttentionSizes attention_sizes{};
  FeedForwardActivation activation = FeedForwardActivation::gelu;
  NormPosition norm = NormPosition::post;
  double norm_epsilon = 1e-12;
  std::int64_t max_positions = 512;  // the longest text in tokens
  std::int64_t first_position = 0;   // rows of the position table that no token uses; RoBERTa: 2
  std::int64_t token_types = 2;      // segments that are told apart; 0: none
  TextVector text_vector = TextVector::first;
  Pooler pooler = Pooler::tanh;
  std::int64_t labels = 0;  // outputs of the classification head; 0: there is no such head
  bool masked_lm = false;   // is there a head that predicts masked tokens?

  BlockOptions block() const;
};

// Throws InvalidArgument naming the key.
void check_config(const BertConfig& config);

// The one table of its fields: the keys model.* of a run, and "yona" in config.json. What the data
// decide (vocabulary, labels) and what a family fixes is not among them.
ConfigKeys<BertConfig> bert_keys();

std::vector<std::string> bert_preset_names();
// Throws InvalidArgument with the list of names.
BertConfig bert_preset(std::string_view name);

}  // namespace yona
