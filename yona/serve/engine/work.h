// What requests cost, foreseen before a model is loaded; what is refused because it costs too much;
// and how much is computed at once, so that a batch can be preempted soon.
//
// Work is counted in rows of decoding steps: beams times output tokens.
#pragma once

#include <cstdint>
#include <string>

#include "yona/decode/translator.h"
#include "yona/serve/service.h"

namespace yona::serve {

struct WorkLimits {
  std::int64_t work = std::int64_t{1} << 20;             // of a request
  std::int64_t cache_bytes = std::int64_t{1} << 30;      // of a sentence's KV cache
  std::int64_t attention = std::int64_t{1} << 21;        // weights of an answer
  std::int64_t small_attention = std::int64_t{1} << 16;  // up to this it is not large
  std::size_t terms = 128;                               // of a glossary
  std::size_t term_bytes = 256;                          // of a term's source
  std::size_t uses = 32;                                 // of its terms in one sentence
  std::int64_t tree_nodes = std::int64_t{1} << 14;       // of a beam search that is shown
  std::int64_t explained_tokens = 256;                   // of each side of a step that is explained
};

// Of one model with the search that it has when nothing else is asked for.
class WorkEstimate {
 public:
  WorkEstimate(const TransformerConfig& config, const DecodeOptions& options)
      : config_(config), options_(options) {}

  std::int64_t beams(const SearchChoice& search) const {
    return search.beam.value_or(options_.beam);
  }
  // Most output tokens for a source with that many tokens.
  std::int64_t output_tokens(const SearchChoice& search, std::int64_t source_tokens) const;
  std::int64_t of_sentence(const SearchChoice& search, std::int64_t source_tokens) const {
    return beams(search) * output_tokens(search, source_tokens);
  }
  // The work of explaining a step with that many tokens: a pass through all layers, and writing its
  // numbers as text.
  static std::int64_t of_explanation(std::int64_t tokens) { return 16 * tokens; }
  // The number of attention weights of a pair with that many tokens.
  std::int64_t attention_weights(std::int64_t source_tokens, std::int64_t target_tokens) const;
  // Of the KV cache, a row and a step.
  std::int64_t cache_bytes() const;

 private:
  TransformerConfig config_;
  DecodeOptions options_;
};

// Sets what the job's sentences cost. Throws HttpError 413 and 400 for a job that is above a limit,
// with the limit.
void set_work(TranslationJob& job, const WorkEstimate& estimate, const WorkLimits& limits);
void set_work(TaskJob& job, const WorkEstimate& estimate, const WorkLimits& limits);

// Throws HttpError 413 for a request of more work than allowed.
void check_work(std::int64_t work, const WorkLimits& limits);
// Throws HttpError 413 where the KV cache of a sentence with that many tokens may be too large.
void check_cache(const SearchChoice& search, std::int64_t source_tokens,
                 const WorkEstimate& estimate, const WorkLimits& limits);
// Throws HttpError 413 where an answer would have more attention weights than allowed.
void check_attention(std::int64_t weights, const WorkLimits& limits);

// How much of a model is computed between two places where it can be preempted: on a CPU at most
// `products` multiplications (step_speed.h).
StepLimits step_limits(const TransformerConfig& config, Device device, std::int64_t products);

}  // namespace yona::serve
