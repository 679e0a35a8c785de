// The state of beam searches in the device's memory, for as many sentences as fit: inputs of the
// next step, hypotheses found so far, and the back-pointers to read them out. Kernels update it;
// backend/beam_args.h describes each list.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "yona/decode/hypothesis.h"
#include "yona/decode/options.h"
#include "yona/tensor/ops/top_k.h"
#include "yona/tensor/resident_cache.h"

namespace yona {

struct BeamStateSize {
  std::int64_t slots = 0;    // sentences at once
  std::int64_t nodes = 0;    // rows of all steps together
  std::int64_t lengths = 0;  // tokens of an output, at most
};

// A sentence to be searched.
struct ResidentSentence {
  std::int64_t memory_first = 0;  // of its tokens in the memory
  std::int64_t memory_count = 0;
  std::int64_t max_length = 0;
};

class ResidentBeamState {
 public:
  // `first_id` is what the decoder reads first. options.mode is paper.
  ResidentBeamState(Region& region, const BeamStateSize& size, const DecodeOptions& options,
                    std::int32_t first_id);

  const BeamStateSize& size() const { return size_; }

  // Sentences before their first step, one to a slot; the slots after them are empty.
  void begin(std::span<const ResidentSentence> sentences, std::int64_t slots);
  // Slot s of the next step is slot index[s] of this one; -1: empty.
  void move(const std::vector<std::int32_t>& index, Context& c) const;
  // Takes the candidates of a step in, and makes the rows of the next one.
  void advance(const TopK& found, std::int64_t slots, Context& c) const;

  // The rows of the first `slots` slots, as layers, embedding and top_k take them.
  ResidentTables tables(std::int64_t slots) const;
  Tensor ids(std::int64_t slots) const;
  Tensor positions(std::int64_t slots) const;
  TopKOptions top_k_options(std::int64_t slots) const;
  // i32 [slots]: which sentence each slot holds; -1: it is done.
  const Tensor& sentences() const { return rows_.sentences; }

  // The hypotheses of each sentence, best first, after `steps` steps. Throws DeviceError when the
  // model gave no numbers.
  std::vector<std::vector<Hypothesis>> results(std::int64_t steps) const;

 private:
  struct Rows {  // BeamRows
    Rows(Region& region, const BeamStateSize& size, std::int64_t beam);
    BeamRows args() const;
    Tensor sentences, ids, positions, scores, counts, places, table, memory_first, memory_counts;
  };
  BeamState args() const;
  void begin_bans(std::int64_t rows) const;
  bool has_bans() const { return options_.min_length > 0 || options_.suppress_unknown; }

  DecodeOptions options_;
  BeamStateSize size_;
  std::int32_t first_id_;
  Rows rows_, spare_;  // moves go through the spare ones
  Tensor pitch_, max_lengths_, divisors_;
  Tensor nodes_, results_;  // bytes of BeamNode and BeamResult
  Tensor finished_;         // and after the last sentence's: damaged
  Tensor groups_, ban_offsets_, bans_, index_;
  std::int64_t count_ = 0;       // sentences of the batch
  std::int64_t first_rows_ = 0;  // of its first step
  std::unique_ptr<Readback> nodes_read_, results_read_, finished_read_;
};

}  // namespace yona
