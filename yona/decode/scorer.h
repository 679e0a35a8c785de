// How probable given translations are: the target is forced through the decoder, all tokens at
// once.
#pragma once

#include <span>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/decode/alignment.h"
#include "yona/decode/hypothesis.h"
#include "yona/decode/options.h"
#include "yona/models/sequence_model.h"

namespace yona {

struct ScorePair {
  Ids source, target;  // each with </s>
};

class PairScorer {
 public:
  // One model or an ensemble, over one target vocabulary; they and the backend must outlive this
  // object. Of the options the mode, its penalties, the ensemble's mean and alignments are used.
  PairScorer(std::vector<const SequenceModel*> models, Backend& backend,
             const DecodeOptions& options);

  // The targets as hypotheses, in order: log-probability of each token, their sum, and the score
  // that the mode's beam search would give; with options.alignments, the attention of each token
  // (the mean over models and heads of one decoder layer). The pairs are one batch. Throws
  // InvalidArgument for a side that is empty or has more tokens than the model has positions, and
  // for ids outside the vocabulary; DeviceError when the model gives no numbers.
  std::vector<Hypothesis> score(std::span<const ScorePair> pairs);
  std::int64_t kept_bytes() const { return region_.peak(); }

 private:
  // Log-probabilities of the tokens of each pair; adds attention to `attention` when asked for.
  std::vector<std::vector<float>> token_scores(std::span<const ScorePair> pairs,
                                               std::vector<SoftAlignment>& attention);

  std::vector<const SequenceModel*> models_;
  DecodeOptions options_;
  Region region_;
};

}  // namespace yona
