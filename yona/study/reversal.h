// The task that several studies train on: a sequence of symbols, written backwards. It needs
// positions and attention and nothing else, and its sequences may be of any length.
#pragma once

#include "yona/data/batch.h"
#include "yona/models/sequence_model.h"
#include "yona/models/transformer_config.h"
#include "yona/study/study.h"

namespace yona {

inline constexpr std::int32_t kReversalEnd = 0;       // </s>
inline constexpr std::int64_t kReversalSymbols = 16;  // ids 1 …, and then <pad>

// `count` pairs with lengths drawn from [shortest, longest]; the same for the same key.
Batch reversal_batch(std::int64_t count, std::int64_t shortest, std::int64_t longest,
                     std::uint64_t key);

// A Transformer of two and two layers that is trained on it.
TransformerConfig reversal_config(const StudySetting& setting);

// What greedy search writes for the sources of a batch in this many steps, </s> and what follows it
// included; over the whole prefix in every step: no cache, as a model without a causal mask has
// none.
std::vector<std::vector<std::int32_t>> greedy_outputs(const SequenceModel& model,
                                                      const Batch& batch, std::int64_t steps,
                                                      Backend& backend);

struct ReversalAccuracy {
  double symbols = 0;    // share that is right at its place
  double sequences = 0;  // share without an error
};

// Of greedy search.
ReversalAccuracy reversal_accuracy(const SequenceModel& model, const Batch& batch,
                                   Backend& backend);

}  // namespace yona
