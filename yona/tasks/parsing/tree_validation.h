// A validation treebank: the loss of its trees, and EVALB's figures of greedy parses.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "yona/decode/parser.h"
#include "yona/models/sequence_model.h"
#include "yona/tasks/parsing/tree_examples.h"
#include "yona/tasks/seq2seq/held_out_loss.h"
#include "yona/train/task.h"

namespace yona {

class TreeValidation : public Evaluation {
 public:
  struct Options {
    std::vector<std::string> figures{};  // parsing_figure_names()
    LeafSymbol leaves = LeafSymbol::tag;
    std::int64_t batch_tokens = 4096;
  };

  // Sentences too long for the model count as parsed without any constituent.
  TreeValidation(std::vector<Tree> gold, const PairEncoder& encoder, const SequenceModel& model,
                 Backend& backend, Options options);

  ValidationReport run(Learner& learner) override;

 private:
  std::vector<Tree> gold_;
  std::vector<Words> sentences_;
  PairEncoder encoder_;
  const SequenceModel& model_;
  Backend& backend_;
  Options options_;
  HeldOutLoss loss_;
};

// Some sentences of a treebank and their greedy parses, with what the decoder looked at.
class TreeSamples : public Sampler {
 public:
  TreeSamples(const std::vector<Tree>& gold, const PairEncoder& encoder, std::int64_t count,
              const SequenceModel& model, Backend& backend);

  SamplesReport run() override;

 private:
  std::vector<Tree> gold_;
  PairEncoder encoder_;
  const SequenceModel& model_;
  Backend& backend_;
};

}  // namespace yona
