// Runs a model, or an ensemble of models, one token at a time: it takes sources, then gives the
// logits of the next tokens of every row at each step.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "yona/decode/chosen_outputs.h"
#include "yona/decode/options.h"
#include "yona/models/sequence_model.h"
#include "yona/tensor/attention_cache.h"
#include "yona/tensor/ops/top_k.h"

namespace yona {

// The ids of sentences, one after another, as a model takes them.
Tokens tokens_of(std::span<const std::vector<std::int32_t>> sentences, Region& region);

// states · projectionᵀ: the logits [rows, V - 1] of the next tokens, f32 whatever the states are.
Tensor next_logits(const Tensor& states, const SequenceModel& model, Context& c);

// Does the device find logits and the best of them together? Then projected_best() is for it.
bool projects_to_best(const SequenceModel& model, Context& c);
// The best of states · projectionᵀ.
TopK projected_best(const Tensor& states, const Tensor& projection, const TopKOptions& options,
                    Context& c);
// The best of next_logits(), one way or the other.
TopK next_best(const Tensor& states, const SequenceModel& model, const TopKOptions& options,
               Context& c);

struct StepRows {
  std::vector<std::int32_t> ids;        // the last token of each row; -1: the first input
  std::vector<std::int32_t> parents;    // row of the step before
  std::vector<std::int32_t> sentences;  // which source

  void clear() {
    ids.clear();
    parents.clear();
    sentences.clear();
  }
};

struct StepLogits {
  Tensor values{};          // [rows, SequenceModel::outputs(), or as many as were chosen]
  bool normalised = false;  // log-probabilities already (ensembles)
  // Instead of values, where not all of them are needed and the best are found directly: what
  // they are the product of. Of weights in bytes by projected_top_k(), else by projected_best().
  Tensor states{}, projection{};  // [rows, d_model], [outputs(), d_model]
  Precision precision = Precision::f32;

  std::int64_t vocabulary() const { return values ? values.cols() : projection.rows(); }
};

// Which of a step's logits are needed.
struct LogitsWanted {
  bool all = false;          // else the best are enough, by StepCandidates
  std::int64_t largest = 0;  // above 0: only this number of each row's largest must be exact; the
                             // others may be off, but are smaller
};

// Sentences that are decoded together.
struct StepperBatch {
  std::span<const std::vector<std::int32_t>> sources;
  CacheSize size;
  const ChosenOutputs* chosen = nullptr;  // what may come out; null: everything
};

// Are logits the product of states and projection alone, with an even number of columns: its own,
// or with <pad>'s row behind it?
bool has_plain_projection(const SequenceModel& model);

class Stepper {
 public:
  // Runs the encoders. The models, which must outlive this object, have one target vocabulary; so
  // must what has been chosen of it, whose columns the logits then have.
  Stepper(std::span<const SequenceModel* const> models, const DecodeOptions& options,
          const StepperBatch& batch, Region& region);

  StepLogits step(const StepRows& rows, const LogitsWanted& wanted = {.all = true});

 private:
  struct Member {
    const SequenceModel& model;
    Ragged memory;  // its values are dropped once the cache has its keys and values
    AttentionCache cache;
    std::unique_ptr<ChosenLayer> chosen{};
  };
  Tensor states(Member& member, const StepRows& rows, const Tensor& ids,
                const std::shared_ptr<const Layout>& layout);
  StepLogits logits(const Tensor& states, const Member& member, const LogitsWanted& wanted);
  StepLogits chosen_logits(const Tensor& states, const Member& member, const LogitsWanted& wanted);

  Region& region_;
  EnsembleMean mean_;
  Precision precision_;
  std::int32_t start_;
  std::deque<Member> members_;
  Tensor mask_;      // [sentences, columns], where sentences may say different things, and
  Tensor row_mask_;  // [rows, columns]: of this step's rows
  std::int64_t steps_ = 0;
};

}  // namespace yona
