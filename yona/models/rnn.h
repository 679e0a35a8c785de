// The recurrent encoder-decoder that the Transformer replaced: without attention (Sutskever et al.
// 2014), with the attention of Bahdanau et al. (2015) or with that of Luong et al. (2015).
//
// Every layer of the encoder reads in both directions, each with half of d_model; layers from the
// second on have a residual connection (Wu et al. 2016). Attention is above the decoder's last
// layer, as in Luong et al., for both kinds of scores: then no step of the recurrence waits for it.
#pragma once

#include <memory>
#include <vector>

#include "yona/models/token_tables.h"
#include "yona/nn/attention/multi_head.h"
#include "yona/nn/recurrent.h"

namespace yona {

class RnnEncoderLayer : public Module {
 public:
  explicit RnnEncoderLayer(const Seq2SeqConfig& config);
  struct Orders {
    TimeOrder forward, backward;
  };
  Ragged operator()(const Ragged& x, const Orders& orders, Context& c) const;

 private:
  double dropout_;
  Recurrent forward_, backward_;
};

class RnnEncoder : public Module {
 public:
  RnnEncoder(const Seq2SeqConfig& config, const TokenTable& table);
  Ragged operator()(const Tokens& source, Context& c) const;

 private:
  Positions positions_;  // none
  InputEmbedding embedding_;
  std::vector<std::unique_ptr<RnnEncoderLayer>> layers_;
};

class RnnDecoderLayer : public Module {
 public:
  explicit RnnDecoderLayer(const Seq2SeqConfig& config);
  Ragged operator()(const Ragged& x, const TimeOrder& order, const Tensor& initial,
                    Context& c) const;
  Ragged step(const Ragged& x, const std::function<Tensor()>& first, std::int64_t sentences,
              Context& c) const;

 private:
  double dropout_;
  Recurrent recurrent_;
};

class RnnDecoder : public Module {
 public:
  RnnDecoder(const Seq2SeqConfig& config, const TokenTable& table);
  Ragged operator()(const Tokens& target, const Ragged& memory, Context& c) const;

 private:
  // The initial states of all layers: [S, layers · d_model].
  Tensor initial(const Ragged& memory, Context& c) const;
  Ragged states(const Ragged& x, const Ragged& memory, Context& c) const;

  std::int64_t d_model_;
  double dropout_;
  Positions positions_;  // none
  InputEmbedding embedding_;
  Linear initial_;
  std::vector<std::unique_ptr<RnnDecoderLayer>> layers_;
  std::unique_ptr<MultiHeadAttention> attention_;  // null: Alignment::none
  std::unique_ptr<Linear> combine_;
};

class Rnn : public SequenceModel {
 public:
  explicit Rnn(const Seq2SeqConfig& config);

  const SequenceShape& shape() const override { return shape_; }
  Ragged encode(const Tokens& source, Context& c) const override { return encoder_(source, c); }
  Ragged decode(const Tokens& target, const Ragged& memory, Context& c) const override {
    return decoder_(target, memory, c);
  }
  OutputLayer output_layer() const override { return tables_.output_layer(); }

 private:
  SequenceShape shape_;
  TokenTables tables_;
  RnnEncoder encoder_;
  RnnDecoder decoder_;
};

}  // namespace yona
