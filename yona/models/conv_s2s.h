// ConvS2S (Gehring et al. 2017): stacks of gated convolutions, and an attention to the source in
// every layer of the decoder. Sums of two are multiplied by √½, as in the paper, which keeps their
// variance. Departures: sinusoidal positions, keys and values are products of one memory (the sum
// of the encoder's output and its embeddings), and weights are not normalised.
#pragma once

#include <memory>
#include <vector>

#include "yona/models/token_tables.h"
#include "yona/nn/attention/multi_head.h"
#include "yona/nn/convolution.h"

namespace yona {

// a ∘ σ(b) of the two halves of a convolution (Dauphin et al. 2017).
class GatedConvolution : public Module {
 public:
  GatedConvolution(const Seq2SeqConfig& config, bool causal);
  Ragged operator()(const Ragged& x, std::int64_t sentences, Context& c) const;

 private:
  std::int64_t d_model_;
  double dropout_;  // of what goes in
  Convolution convolution_;
};

class ConvS2SEncoder : public Module {
 public:
  ConvS2SEncoder(const Seq2SeqConfig& config, const TokenTable& table);
  Ragged operator()(const Tokens& source, Context& c) const;

 private:
  Positions positions_;
  InputEmbedding embedding_;
  std::vector<std::unique_ptr<GatedConvolution>> layers_;
};

class ConvS2SDecoder : public Module {
 public:
  ConvS2SDecoder(const Seq2SeqConfig& config, const TokenTable& table);
  Ragged operator()(const Tokens& target, const Ragged& memory, Context& c) const;

 private:
  struct Layer {
    explicit Layer(const Seq2SeqConfig& config);
    GatedConvolution convolution;
    MultiHeadAttention attention;
  };
  Positions positions_;
  InputEmbedding embedding_;
  std::vector<std::unique_ptr<Layer>> layers_;
};

class ConvS2S : public SequenceModel {
 public:
  explicit ConvS2S(const Seq2SeqConfig& config);

  const SequenceShape& shape() const override { return shape_; }
  Ragged encode(const Tokens& source, Context& c) const override { return encoder_(source, c); }
  Ragged decode(const Tokens& target, const Ragged& memory, Context& c) const override {
    return decoder_(target, memory, c);
  }
  OutputLayer output_layer() const override { return tables_.output_layer(); }

 private:
  SequenceShape shape_;
  TokenTables tables_;
  ConvS2SEncoder encoder_;
  ConvS2SDecoder decoder_;
};

}  // namespace yona
