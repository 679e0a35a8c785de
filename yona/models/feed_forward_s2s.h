// A feed-forward encoder-decoder: what a network without recurrence, convolution or attention can
// do with a sentence. Its input has a fixed number of tokens, n = model.input_length.
//
//   s   = the encoder's layers of W [e_1; …; e_n], where tokens that are not there are zero
//   h_t = the decoder's layers of W' [y_{t-k+1}; …; y_t] + U s, the last k = model.kernel_width
//   tokens
// Each layer is LN(x + FFN(x)). The decoder is Bengio et al.'s (2003) language model of k words
// with a sentence beside them, as in Devlin et al. 2014. Every place of the source has weights of
// its own, which is why a longer sentence cannot be read.
#pragma once

#include <memory>
#include <vector>

#include "yona/models/token_tables.h"
#include "yona/nn/block.h"
#include "yona/nn/convolution.h"

namespace yona {

// Feed-forward layers, one after another.
class FeedForwardStack : public Module {
 public:
  FeedForwardStack(const BlockOptions& options, std::int64_t layers);
  Ragged operator()(Residual x, Context& c) const;

 private:
  std::vector<std::unique_ptr<FeedForwardBlock>> layers_;
};

class FeedForwardS2S : public SequenceModel {
 public:
  explicit FeedForwardS2S(const Seq2SeqConfig& config);

  const SequenceShape& shape() const override { return shape_; }
  // One row for each sentence. Throws InvalidArgument for a sentence longer than the input.
  Ragged encode(const Tokens& source, Context& c) const override;
  Ragged decode(const Tokens& target, const Ragged& memory, Context& c) const override;
  OutputLayer output_layer() const override { return tables_.output_layer(); }

 private:
  Tensor joined_tokens(const Ragged& x, Context& c) const;

  SequenceShape shape_;
  TokenTables tables_;
  Positions no_positions_, positions_;
  InputEmbedding source_, target_;
  Linear join_;
  FeedForwardStack encoder_;
  Linear unfold_;
  Convolution window_;
  FeedForwardStack decoder_;
};

}  // namespace yona
