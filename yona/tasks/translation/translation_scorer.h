// BLEU, chrF and TER of a validation set while a model trains: its source is translated greedily,
// and the text compared with the file of right translations, as `yona score` would.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/data/corpus.h"
#include "yona/decode/options.h"
#include "yona/models/sequence_model.h"
#include "yona/score/metric.h"
#include "yona/text/pair_encoder.h"
#include "yona/train/progress.h"

namespace yona {

// The names that train.valid_metrics knows.
std::vector<std::string> validation_metric_names();  // "bleu", "chrf", "ter"

// With the usual options; for BLEU the tokeniser suits the target language: zh for Chinese, char
// for Japanese and Thai, 13a for all others. Throws InvalidArgument for another name.
std::unique_ptr<Metric> validation_metric(const std::string& name,
                                          const std::string& target_language);

// The best next token, again and again, for a model that reads and writes what `encoder` encodes.
DecodeOptions greedy_options(const PairEncoder& encoder);

class TranslationScorer {
 public:
  struct Options {
    std::vector<std::string> metrics{};
    std::string target_language{};
    std::int64_t max_positions = 0;  // of the model
  };

  // Reads the files of the set and encodes the source, its tags in front. Every line counts, those
  // that training would leave out included. Throws FormatError, InvalidArgument or IoError as
  // `yona score` does.
  TranslationScorer(const CorpusSpec& set, const PairEncoder& encoder, Options options);

  // Lines too long for the model: they are not translated, and count as wrong.
  std::int64_t overlong_lines() const { return overlong_; }

  // One figure for each metric, in their order. The model's weights are only read.
  std::vector<ValidationFigure> run(const SequenceModel& model, Backend& backend) const;

 private:
  Options options_;
  PairEncoder encoder_;
  std::vector<std::vector<std::int32_t>> sources_;  // empty where there is nothing to do
  References references_;
  std::int64_t overlong_ = 0;
};

}  // namespace yona
