// The embeddings of an encoder-decoder as its config ties them: one table for source, target and
// output, or two, or three; under the names that the Transformer's have.
#pragma once

#include <memory>

#include "yona/models/seq2seq_config.h"
#include "yona/models/sequence_model.h"
#include "yona/nn/embedding.h"

namespace yona {

class TokenTables : public Module {
 public:
  explicit TokenTables(const Seq2SeqConfig& config);

  const TokenTable& source() const { return source_ ? *source_ : *shared_; }
  const TokenTable& target() const { return target_ ? *target_ : *shared_; }
  OutputLayer output_layer() const {
    return {projection_ ? projection_->projection() : target().projection(), {}};
  }

 private:
  std::unique_ptr<TokenTable> shared_, source_, target_, projection_;  // null: not there
};

// What decoding has to know of a model with these tables.
SequenceShape seq2seq_shape(const Seq2SeqConfig& config);

}  // namespace yona
