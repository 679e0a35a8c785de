// Text generation from a decoder alone, with continuous batching: requests join and leave between
// steps, and each step is one pass of the model over the newest token of every running answer and
// over the new prompts.
//
//   Generator generator(model, backend, {.rules = {.end_ids = {2}, .bytes = bytes}});
//   generator.add({.prompt = ids, .max_new = 100});
//   while (!generator.is_idle()) {
//     for (const GeneratedToken& token : generator.step()) { … }
//   }
//
// On a CPU in f32 an answer does not depend on the others in the batch. One thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "yona/generate/answer.h"
#include "yona/generate/kept_prefixes.h"
#include "yona/generate/resident_steps.h"
#include "yona/models/sequence_model.h"
#include "yona/tensor/operand.h"
#include "yona/tensor/sequence_cache.h"

namespace yona {

struct GeneratorOptions {
  AnswerRules rules{};
  std::int64_t max_batch = 32;      // answers under way at once; other requests wait
  std::int64_t cache_tokens = 0;    // of all of them; 0: max_batch contexts, at most 65,536
  std::int64_t prefill_tokens = 0;  // of prompts, in one step; 0: as many as suit the device
  bool keeps_prefixes = true;       // finished answers' memory, for requests that begin alike
  Precision precision = Precision::f32;
};

// Tokens of the cache that the options mean for a model of this context.
std::int64_t cache_tokens_of(const GeneratorOptions& options, std::int64_t context);

class Generator {
 public:
  // The model must outlive this object. Throws InvalidArgument for one with an encoder.
  Generator(const SequenceModel& model, Backend& backend, const GeneratorOptions& options);

  // Throws InvalidArgument for a request that cannot be met: an empty prompt, one that is longer
  // than the context, options out of their ranges …
  RequestId add(GenerateRequest request);
  // Throws as add() does, without adding it. Whether the cache has room is not looked at.
  void check_request(const GenerateRequest& request) const;
  // One pass of the model, or on a GPU several: the new tokens of each answer that had some, in
  // their order. Nothing where there is nothing to do. An answer that cannot go on ends with an
  // error of its own. When this throws (the device fails), all answers under way are lost.
  std::vector<GeneratedToken> step();
  // Requests that wait join in their order, as far as there is room; step() begins with it, too.
  void join();
  // Ends a request early; does nothing when it has ended.
  void remove(RequestId id);
  // Makes the cache larger where it has room for fewer tokens. Kept prefixes are forgotten then.
  // While idle alone.
  void reserve(std::int64_t cache_tokens);

  bool is_idle() const { return waiting_.empty() && answers_.empty(); }
  // Passes through the model that the last step() made: several if the device runs steps by itself.
  std::int64_t passes() const { return passes_; }
  std::size_t under_way() const { return answers_.size(); }  // answers
  std::size_t waiting() const { return waiting_.size(); }    // requests
  std::int64_t cache_tokens() const { return cache_.rows(); }
  std::int64_t max_positions() const { return model_.shape().max_positions; }
  // Prompt tokens that were found in the cache, so far.
  std::int64_t reused_tokens() const { return reused_tokens_; }

 private:
  struct Waiting {
    RequestId id;
    std::shared_ptr<const GenerateRequest> request;
    std::int64_t max_new;
  };
  // An answer's tokens of a pass.
  struct Part {
    Answer* answer;
    std::int64_t fresh;
    bool completes() const { return fresh == answer->pending(); }
  };

  std::int64_t room_for(const GenerateRequest& request) const;
  bool admit(const Waiting& next);
  std::optional<std::int64_t> allocate(std::int64_t rows);
  void reuse_prefix(Answer& answer);
  std::vector<Part> next_parts();
  // States of the tokens that are followed by a new one, [rows, d_model].
  Tensor forward(const std::vector<Part>& parts);
  // The answers that get a new token: those whose tokens are all computed, and those that begin as
  // they do.
  std::vector<Answer*> ready(const std::vector<Part>& parts, std::vector<std::int64_t>& rows);
  // The next token of each answer, from a row of the states.
  std::vector<GeneratedToken> choose(const Tensor& states, const std::vector<Answer*>& answers,
                                     const std::vector<std::int64_t>& rows);
  std::vector<std::int32_t> best_tokens(const Tensor& states);
  // How many steps the answers may take on the device, without the host; 0: none.
  std::int64_t resident_steps(const std::vector<Part>& parts) const;
  std::vector<GeneratedToken> run_on_device(const std::vector<Part>& parts, std::int64_t steps);
  void drop_finished();
  void leave(Answer& answer);
  void drop_all();

  const SequenceModel& model_;
  GeneratorOptions options_;
  Region cache_region_, region_;
  std::unique_ptr<RoundedWeights> rounded_;
  SequenceCache cache_;
  std::unique_ptr<ResidentSteps> resident_;  // where the device can go on by itself
  KeptPrefixes kept_;
  std::deque<Waiting> waiting_;
  std::vector<std::unique_ptr<Answer>> answers_;  // in the order in which they joined
  RequestId next_id_ = 1;
  std::int64_t passes_ = 0;
  std::int64_t reused_tokens_ = 0;
};

}  // namespace yona
