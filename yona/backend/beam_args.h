// Arguments of the kernels that update beam searches whose state stays in the device's memory.
//
// A step runs a fixed number of slots, each for one sentence, with `beam` rows of the batch each;
// rows of slot s are s · beam …. A sentence that is done leaves its slot empty, and now and then
// the rest move together into fewer slots. Results are kept by sentence and stay where they are.
// All lists are in the device's memory.
#pragma once

#include <cstdint>

namespace yona {

// What goes into a step, by slot and row; it moves with its sentence. Positions are equal in all
// rows: the tokens that beams have so far.
struct BeamRows {
  std::int32_t* sentences = nullptr;  // [slots]: which one a slot holds; -1: none
  std::int32_t* ids = nullptr;        // [rows]: the last token
  std::int32_t* positions = nullptr;  // [rows]
  float* scores = nullptr;            // [rows]: the sum of log-probabilities; -infinity: no beam
  std::int32_t* counts = nullptr;     // [rows]: how many rows of the cache it goes on from
  std::int32_t* places = nullptr;     // [rows]: its own row of the cache; -1: no beam
  std::int32_t* table = nullptr;      // [rows, table_stride]: the rows it goes on from
  std::int64_t table_stride = 0;
  std::int64_t* memory_first = nullptr;   // [rows]: of its sentence's keys in the memory
  std::int32_t* memory_counts = nullptr;  // [rows]
};

// A beam that was kept: its last token, which beam of the previous step it continues, and the
// token's log-probability.
struct BeamNode {
  std::int32_t token = 0;
  std::int32_t parent = 0;
  float score = 0;
};

// A result: a beam and the token that ended it, or -1: the beam as it was.
struct BeamResult {
  double score = 0;  // length taken into account
  std::int32_t length = 0;
  std::int32_t token = -1;
  std::int32_t parent = 0;
  float token_score = 0;
};

// The tree of all that was kept, sentence s at columns s · beam …, and of each sentence the n_best
// results so far: best first, earlier ones first where they are equal.
struct BeamState {
  const std::int32_t* pitch = nullptr;        // [1]: rows of the first step
  const std::int32_t* max_lengths = nullptr;  // [sentences]
  const double* divisors = nullptr;           // [lengths]: what a sum of that many tokens is over
  BeamNode* nodes = nullptr;                  // [steps, pitch]
  BeamResult* results = nullptr;              // [sentences, n_best]
  std::int32_t* finished = nullptr;           // [sentences]: how many results there were
  std::int32_t* damaged = nullptr;  // [1]: becomes 1 when the log-sum of a beam is not a number
};

// Updates the beam state with a step's candidates by the rules of the paper's search
// (paper_search.cc), and makes the rows of the next step. With k = 1 it is greedy search.
struct BeamStepArgs {
  BeamRows rows{};
  BeamState state{};
  std::int64_t slots = 0;
  std::int64_t beam = 1;
  std::int64_t n_best = 1;
  std::int64_t k = 1;
  const float* scores = nullptr;         // [slots, k]: of top_k
  const std::int32_t* tokens = nullptr;  // [slots, k]
  const std::int32_t* from = nullptr;    // [slots, k]: rows
  const float* log_sums = nullptr;       // [rows]
  std::int32_t end_id = 0;
  std::int32_t first_id = 0;            // what rows without a beam read
  bool longer_is_cheaper = true;        // α ≥ 0: the best that a beam can become is the longest
  std::int64_t* ban_offsets = nullptr;  // [rows + 1], optional: for top_k of the next step
  std::int32_t* bans = nullptr;         // [2 · rows]: </s> before min_length tokens, and
  std::int64_t min_length = 0;
  std::int32_t banned_id = -1;  // this one always, when there
};

// Puts slot index[s] of `from` into slot s of `to`, for all slots of `to`; -1 leaves it empty.
struct BeamMoveArgs {
  BeamRows from{}, to{};
  const std::int32_t* index = nullptr;  // [slots]
  std::int64_t slots = 0;
  std::int64_t beam = 1;
  std::int32_t first_id = 0;
};

}  // namespace yona
