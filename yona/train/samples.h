// A few sentences of a validation set, translated again and again while a model trains: people see
// more in them than in a loss. What the dashboard shows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/data/corpus.h"
#include "yona/models/transformer.h"
#include "yona/text/pair_encoder.h"
#include "yona/train/progress.h"

namespace yona {

class Samples {
 public:
  // Takes the first `count` pairs whose source is text and no longer than the model's positions.
  // Throws IoError or FormatError as LineReader does.
  Samples(const CorpusSpec& set, const PairEncoder& encoder, std::int64_t count,
          std::int64_t max_positions);

  // Translates them greedily; the attention is the mean of the last layer's heads. Everything but
  // update is filled in. The model's weights are only read.
  SamplesReport run(const Transformer& model, Backend& backend) const;

 private:
  struct Sentence {
    std::string source, reference;
    std::vector<std::int32_t> ids;  // of the source
  };
  std::vector<Sentence> sentences_;
  PairEncoder encoder_;
};

}  // namespace yona
