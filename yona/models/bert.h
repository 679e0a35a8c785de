// BERT: the Transformer's encoder alone (Devlin et al. 2019), and its sisters RoBERTa (Liu et al.
// 2019) and DistilBERT (Sanh et al. 2019). Over its states are up to two heads: one that predicts
// masked tokens, and one that classifies the text.
#pragma once

#include <memory>
#include <span>

#include "yona/models/bert_config.h"
#include "yona/models/sequence_model.h"
#include "yona/models/transformer.h"
#include "yona/nn/embedding.h"
#include "yona/nn/layers.h"

namespace yona {

// Texts as they are on the host: tokens of all of them, one after another, [CLS] and [SEP]
// included.
struct BertTexts {
  std::span<const std::int32_t> ids;
  std::span<const std::int64_t> offsets;      // texts + 1
  std::span<const std::int32_t> types{};      // the segment of each token; empty: all are 0
  std::span<const std::uint64_t> text_ids{};  // stable over batches, for dropout; empty: by place
};

// The same on the device.
struct BertInput {
  Tokens tokens;
  Tensor types;                         // i32 [T]; empty where the model has no types
  Tensor first;                         // i32 [S]: the row of each text's first token
  std::shared_ptr<const Layout> texts;  // one row for each text
};

// Embeddings (§3, figure 2): token + segment + position, normalised.
class BertEmbedding : public Module {
 public:
  explicit BertEmbedding(const BertConfig& config);
  Ragged operator()(const BertInput& input, Context& c) const;
  const TokenTable& tokens() const { return tokens_; }

 private:
  TokenTable tokens_;
  Parameter positions_;  // [first_position + max_positions, d_model]
  Parameter types_;      // [token_types, d_model]; empty where there are none
  LayerNorm norm_;
  std::int64_t first_position_;
  double dropout_;
};

// The head of masked language modelling: LN(gelu(x W + b)), and logits by the token table.
class MaskedLmHead : public Module {
 public:
  explicit MaskedLmHead(const BertConfig& config);
  Tensor operator()(const Tensor& states, Context& c) const;  // [n, d_model] → [n, d_model]
  const Tensor& bias() const { return bias_.value; }          // [V]

 private:
  Linear dense_;
  LayerNorm norm_;
  Parameter bias_;
};

class Bert : public Module {
 public:
  explicit Bert(const BertConfig& config);

  const BertConfig& config() const { return config_; }

  // Throws InvalidArgument for a text that is longer than max_positions.
  BertInput input(const BertTexts& texts, Region& region) const;

  // → [T, d_model]
  Ragged states(const BertInput& input, Context& c) const;

  // The vector of each text that the classifier reads: → [S, d_model].
  Tensor text_vectors(const BertInput& input, const Ragged& states, Context& c) const;
  // logits = text_vectors · weightᵀ + bias; weight [labels, d_model]
  OutputLayer classifier() const;

  // What predicts the tokens at some rows of the states: rows [n, d_model] → [n, d_model].
  Tensor masked_states(const Tensor& rows, Context& c) const;
  // logits = masked_states · weightᵀ + bias; weight [V, d_model]
  OutputLayer masked_lm() const;

 private:
  BertConfig config_;
  BertEmbedding embedding_;
  Layers<EncoderLayer> layers_;
  std::unique_ptr<Linear> pooler_;
  std::unique_ptr<Linear> classifier_;
  std::unique_ptr<MaskedLmHead> masked_lm_;
};

// states · weightᵀ + bias
Tensor logits_of(const Tensor& states, const OutputLayer& layer, Context& c);

}  // namespace yona
