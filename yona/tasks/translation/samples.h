// A few sentences of a validation set, translated while a model trains.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/data/corpus.h"
#include "yona/models/sequence_model.h"
#include "yona/text/pair_encoder.h"
#include "yona/train/task.h"

namespace yona {

class Samples : public Sampler {
 public:
  // Takes the first `count` pairs whose source is text and no longer than the model's positions.
  // Throws IoError or FormatError as LineReader does.
  Samples(const CorpusSpec& set, const PairEncoder& encoder, std::int64_t count,
          const SequenceModel& model, Backend& backend);

  // Translates them greedily; the attention is the mean of the last layer's heads.
  SamplesReport run() override;

 private:
  struct Sentence {
    std::string source, reference;
    std::vector<std::int32_t> ids;  // of the source
  };
  std::vector<Sentence> sentences_;
  PairEncoder encoder_;
  const SequenceModel& model_;
  Backend& backend_;
};

}  // namespace yona
