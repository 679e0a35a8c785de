// Beam search after a prompt by a decoder alone, as `generate` of transformers does it: the search
// is decode/huggingface_search.cc, the keys and values are those of a SequenceCache. The prompt is
// computed once; a beam with two continuations is copied, without the prompt.
//
//   BeamSearch search(model, backend, Precision::f32);
//   std::vector<Hypothesis> best = search.run({.prompt = ids, .max_new = 50, .beam = 4});
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "yona/decode/hypothesis.h"
#include "yona/decode/unit.h"
#include "yona/models/sequence_model.h"
#include "yona/tensor/operand.h"
#include "yona/tensor/sequence_cache.h"

namespace yona {

struct BeamRequest {
  std::vector<std::int32_t> prompt{};  // at least one token
  std::int64_t max_new = 1;
  std::int64_t beam = 4;
  std::int64_t n_best = 1;  // hypotheses: at most `beam`
  double length_penalty = 1.0;
  std::vector<std::int32_t> end_ids{};           // which end a text
  const std::atomic<bool>* interrupt = nullptr;  // when it turns true, run() throws Interrupted
};

class BeamSearch {
 public:
  // The model must outlive this object.
  BeamSearch(const SequenceModel& model, Backend& backend, Precision precision);

  // New tokens, with the one that ended them, best first. The prompt must fit (see
  // Generator::check_request()). Throws InvalidArgument for a beam that cannot be.
  std::vector<Hypothesis> run(const BeamRequest& request);

 private:
  // Where the tokens of each beam are in the cache.
  struct Segments {
    std::vector<std::int64_t> first;   // of all segments
    std::vector<bool> has_prompt;      // is the prompt in it?
    std::vector<std::size_t> of_beam;  // the segment of each beam
  };
  Tensor prefill(const BeamRequest& request, std::int64_t first);
  // A segment for each of the next beams, with what its parent has computed.
  void follow(const std::vector<Beam>& beams, const BeamRequest& request, std::int64_t cached,
              Segments& segments);
  Tensor step(const std::vector<Beam>& beams, const Segments& segments, std::int64_t cached);

  const SequenceModel& model_;
  Precision precision_;
  Region cache_region_, region_;
  std::unique_ptr<RoundedWeights> rounded_;
  SequenceCache cache_;
};

}  // namespace yona
