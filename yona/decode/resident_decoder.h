// Decodes batches with everything on the device: cache, beams, scores, results. The host starts
// steps and looks, one step behind, whether sentences are left; a step is a replay (backend/
// replay.h), which a GPU starts as one graph. As sentences end, those that go on move together into
// fewer slots.
//
// It does the searches that most do: the paper's, greedy or with beams, of one model. BatchDecoder
// uses it where that is asked for on a GPU, and gives the rest to the host's searches; both find
// the same.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "yona/decode/resident_beam_state.h"
#include "yona/decode/stepper.h"

namespace yona {

struct ResidentRequest {
  Ids source;                   // not empty
  std::int64_t max_length = 0;  // at least 1
};

class ResidentDecoder {
 public:
  // Sentences that are decoded together, at most: they keep a GPU busy, and more would only take
  // memory.
  static constexpr std::size_t kMostSentences = 512;

  // Can it do what the options ask for?
  static bool suits(const DecodeOptions& options, std::span<const SequenceModel* const> models);

  // The model and the region's backend must outlive this object. Memory for the cache and the beam
  // state is taken from the region as batches need it, and kept.
  ResidentDecoder(const SequenceModel& model, const DecodeOptions& options, Region& region);

  // The hypotheses of each request, in order, best first. Throws DeviceError when the model gives
  // no numbers.
  std::vector<std::vector<Hypothesis>> decode(std::span<const ResidentRequest> requests);

  // How many slots a step has for that many sentences: few sizes, because each is a separate graph.
  static std::int64_t slots_for(std::int64_t sentences);

 private:
  std::vector<std::vector<Hypothesis>> decode_together(std::span<const ResidentRequest> requests);
  void make_room(std::int64_t slots, std::int64_t steps, std::int64_t tokens);
  void begin(std::span<const ResidentRequest> requests, std::int64_t slots);
  void step(std::int64_t slots);
  void replay(std::int64_t slots);
  // Runs steps after the first until all sentences are done; how many steps there were in all.
  std::int64_t run(std::int64_t slots, std::int64_t most);
  // Moves the sentences that are left into fewer slots when they fit; how many there are then.
  std::int64_t gather(std::span<const std::int32_t> sentences);

  const SequenceModel& model_;
  DecodeOptions options_;
  Region& region_;
  Region step_region_;  // of what lives within a step alone: a replay uses the same places again
  std::unique_ptr<ResidentBeamState> beam_state_;
  std::unique_ptr<ResidentCache> cache_;
  std::map<std::int64_t, std::unique_ptr<Replay>> replays_;  // by slots
  std::unique_ptr<Readback> looks_[2];
  Ragged memory_;  // its values are dropped once the cache has its keys and values
};

}  // namespace yona
