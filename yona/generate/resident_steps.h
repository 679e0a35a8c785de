// Several steps of generation without the host: each step's tokens are chosen on the device and go
// into the next step there. A step is a replay (backend/replay.h), which a GPU starts as one graph;
// the host reads the tokens of all steps at the end.
//
//   ResidentSteps steps(model, cache, precision);
//   const std::vector<std::int32_t> tokens = steps.run(rows, 16);     // [16, rows.size()]
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "yona/backend/replay.h"
#include "yona/decode/token_choice.h"
#include "yona/models/sequence_model.h"
#include "yona/tensor/sequence_cache.h"

namespace yona {

// An answer with one token that is not in the cache: its newest.
struct ResidentRow {
  std::int32_t token = 0;
  std::int64_t first = 0;         // row of the cache
  std::int64_t cached = 0;        // tokens that are there
  TokenChoiceOptions choice{};    // without penalties
  std::vector<double> numbers{};  // for the draws of each step; may be empty where there are none
};

class ResidentSteps {
 public:
  // Steps of one run, at most.
  static constexpr std::int64_t kMostSteps = 32;

  // Can steps of this model be replayed?
  static bool suits(const SequenceModel& model, const Backend& backend);

  // The model and the cache must outlive this object.
  ResidentSteps(const SequenceModel& model, SequenceCache& cache, Backend& backend,
                Precision precision);
  // The cache's last step may have been one of these, with tensors of this object.
  ~ResidentSteps() { cache_.end_step(); }
  ResidentSteps(const ResidentSteps&) = delete;
  ResidentSteps& operator=(const ResidentSteps&) = delete;

  // The new tokens [steps, rows]. Every row's segment has room for them, and a step has been made
  // with the cache. -1 and -2 as in NextTokensArgs.
  std::vector<std::int32_t> run(std::span<const ResidentRow> rows, std::int64_t steps);
  // The memory of the cache has moved: what was recorded cannot be used again.
  void forget() { replays_.clear(); }

 private:
  // The rows of that many slots, in the device's memory.
  struct Slots {
    Slots(Region& region, std::int64_t count);
    Tensor ids, positions, counts, places, steps;  // i32 [slots]
    Tensor first;                                  // i64 [slots]
    Tensor choices;                                // bytes of TokenChoiceNumbers [slots]
    Tensor numbers;                                // f64 [kMostSteps, slots]
    Tensor tokens;                                 // i32 [kMostSteps, slots]
    std::unique_ptr<Replay> replay{};
  };
  void begin(const Slots& slots, std::int64_t count, std::span<const ResidentRow> rows) const;
  void step(const Slots& slots);

  const SequenceModel& model_;
  SequenceCache& cache_;
  Precision precision_;
  Region region_, step_region_;            // the second: of what lives within a step alone
  std::map<std::int64_t, Slots> replays_;  // by slots
  std::unique_ptr<Readback> read_;
};

}  // namespace yona
