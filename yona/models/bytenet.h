// ByteNet (Kalchbrenner et al. 2016): dilated convolutions over the source, and causal ones over
// the target that read, at position t, what the encoder has at its position t (dynamic unfolding).
// There is no attention: the path between two tokens is as long as the dilations make it.
//
// A residual block is x + W₃ g(conv(g(W₁ g(x)))), where g is the activation of a layer norm, with
// half of d_model inside. Departures: the activation is GELU, not ReLU, and where the target is
// longer than the source it reads the state of the source's last token.
#pragma once

#include <memory>
#include <vector>

#include "yona/models/token_tables.h"
#include "yona/nn/convolution.h"
#include "yona/nn/norm.h"

namespace yona {

class ByteNetBlock : public Module {
 public:
  ByteNetBlock(const Seq2SeqConfig& config, const Window& window);
  Ragged operator()(const Ragged& x, std::int64_t sentences, Context& c) const;

 private:
  double dropout_;
  LayerNorm norm1_, norm2_, norm3_;
  Linear narrow_;
  Convolution convolution_;
  Linear widen_;
};

// Blocks whose dilations double, and the last norm.
class ByteNetStack : public Module {
 public:
  ByteNetStack(const Seq2SeqConfig& config, std::int64_t layers, bool causal);
  Ragged operator()(Ragged x, std::int64_t sentences, Context& c) const;

 private:
  std::vector<std::unique_ptr<ByteNetBlock>> layers_;
  LayerNorm norm_;
};

class ByteNet : public SequenceModel {
 public:
  explicit ByteNet(const Seq2SeqConfig& config);

  const SequenceShape& shape() const override { return shape_; }
  Ragged encode(const Tokens& source, Context& c) const override;
  Ragged decode(const Tokens& target, const Ragged& memory, Context& c) const override;
  OutputLayer output_layer() const override { return tables_.output_layer(); }

 private:
  SequenceShape shape_;
  TokenTables tables_;
  Positions positions_;  // none
  InputEmbedding source_, target_;
  ByteNetStack encoder_, decoder_;
  Linear unfold_;
};

}  // namespace yona
