// A step of beam searches whose state stays on the device. A block takes a slot: its candidates
// come into shared memory, one thread decides, and then threads take columns of the table of
// ancestors, each for all beams, so that no row is overwritten before it is read.

#include "yona/backend/cuda/common/rows.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

constexpr int kBeamThreads = 64;
constexpr int kMostBeams = 32;
constexpr int kMostCandidates = 2 * kMostBeams;

// A slot's step in shared memory.
struct Slot {
  float scores[kMostCandidates];
  std::int32_t tokens[kMostCandidates];
  std::int32_t beams[kMostCandidates];  // that candidates go on from
  float beam_scores[kMostBeams];
  std::int32_t places[kMostBeams];
  int candidates;  // how many there are
  bool damaged;
  int kept[kMostBeams];  // candidates that go on
  int beams_kept;
};

__device__ double final_score(const BeamState& state, float sum, std::int64_t length) {
  return static_cast<double>(sum) / state.divisors[length];
}

// Among the sentence's n_best results, after those that are as good.
__device__ void finish(const BeamStepArgs& a, std::int64_t sentence, const BeamResult& result) {
  BeamResult* results = a.state.results + sentence * a.n_best;
  const auto n_best = static_cast<int>(a.n_best);
  const int there = min(a.state.finished[sentence]++, n_best);
  int at = there;
  while (at > 0 && result.score > results[at - 1].score) {
    --at;
  }
  if (at == n_best) {
    return;
  }
  for (int i = min(there, n_best - 1); i > at; --i) {
    results[i] = results[i - 1];
  }
  results[at] = result;
}

__device__ void finish(const BeamStepArgs& a, const Slot& slot, std::int64_t sentence, int i,
                       int length) {
  finish(a, sentence,
         {final_score(a.state, slot.scores[i], length), length, slot.tokens[i], slot.beams[i],
          slot.scores[i] - slot.beam_scores[slot.beams[i]]});
}

// Where nothing may come, the beams are results as they are.
__device__ void cut_beams(const BeamStepArgs& a, const Slot& slot, std::int64_t sentence,
                          int length) {
  for (int beam = 0; beam < a.beam; ++beam) {
    const float sum = slot.beam_scores[beam];
    if (sum > -INFINITY) {
      const double score = sum == 0.0F ? 0.0 : final_score(a.state, sum, length);
      finish(a, sentence, {score, length, -1, beam, 0.0F});
    }
  }
}

// One thread's part: results and the beams that go on; false: the sentence is done. `length` is
// with the candidates' tokens.
__device__ bool search(const BeamStepArgs& a, Slot& slot, std::int64_t sentence, int length) {
  slot.beams_kept = 0;
  if (slot.damaged) {
    *a.state.damaged = 1;
    return false;
  }
  if (slot.candidates == 0) {
    cut_beams(a, slot, sentence, length - 1);
    return false;
  }
  for (int i = 0; i < slot.candidates; ++i) {
    if (slot.tokens[i] == a.end_id) {
      finish(a, slot, sentence, i, length);
    } else if (slot.beams_kept < a.beam) {
      slot.kept[slot.beams_kept++] = i;
    }
  }
  const int longest = a.state.max_lengths[sentence];
  if (length == longest) {
    if (a.state.finished[sentence] == 0) {
      for (int i = 0; i < slot.candidates && i < a.beam; ++i) {
        finish(a, slot, sentence, i, length);
      }
    }
    return false;
  }
  if (slot.beams_kept == 0) {
    return false;
  }
  if (a.state.finished[sentence] < a.n_best) {
    return true;
  }
  const double bound =
      final_score(a.state, slot.scores[slot.kept[0]], a.longer_is_cheaper ? longest : length + 1);
  return bound > a.state.results[(sentence + 1) * a.n_best - 1].score;
}

__device__ void read_slot(const BeamStepArgs& a, Slot& slot, std::int64_t first_row) {
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    slot.candidates = 0;
    slot.damaged = false;
  }
  __syncthreads();
  for (int i = thread; i < a.k; i += kBeamThreads) {
    const std::int64_t at = blockIdx.x * a.k + i;
    slot.scores[i] = a.scores[at];
    slot.tokens[i] = a.tokens[at];
    slot.beams[i] = static_cast<std::int32_t>(a.from[at] - first_row);
    if (a.tokens[at] >= 0) {  // places without one come last
      atomicMax(&slot.candidates, i + 1);
    }
  }
  for (int beam = thread; beam < a.beam; beam += kBeamThreads) {
    const float score = a.rows.scores[first_row + beam];
    slot.beam_scores[beam] = score;
    slot.places[beam] = a.rows.places[first_row + beam];
    if (score > -INFINITY && isnan(a.log_sums[first_row + beam])) {
      slot.damaged = true;
    }
  }
  __syncthreads();
}

// The table of each beam becomes that of the beam it goes on from, and that beam's place.
__device__ void move_table(const BeamStepArgs& a, const Slot& slot, std::int64_t first_row,
                           int length) {
  const BeamRows& rows = a.rows;
  std::int32_t column[kMostBeams];
  for (int j = static_cast<int>(threadIdx.x); j < length - 1; j += kBeamThreads) {
    for (int beam = 0; beam < slot.beams_kept; ++beam) {
      column[beam] = rows.table[(first_row + slot.beams[slot.kept[beam]]) * rows.table_stride + j];
    }
    for (int beam = 0; beam < slot.beams_kept; ++beam) {
      rows.table[(first_row + beam) * rows.table_stride + j] = column[beam];
    }
  }
}

__device__ void write_row(const BeamStepArgs& a, const Slot& slot, std::int64_t first_row,
                          std::int64_t sentence, int beam, int length) {
  const BeamRows& rows = a.rows;
  const std::int64_t row = first_row + beam;
  const std::int64_t pitch = *a.state.pitch;
  rows.positions[row] = length;
  if (beam >= slot.beams_kept) {
    rows.ids[row] = a.first_id;
    rows.scores[row] = -INFINITY;
    rows.counts[row] = 0;
    rows.places[row] = -1;
    return;
  }
  const int i = slot.kept[beam];
  const int parent = slot.beams[i];
  rows.ids[row] = slot.tokens[i];
  rows.scores[row] = slot.scores[i];
  rows.counts[row] = length;
  rows.places[row] = static_cast<std::int32_t>(length * pitch + row);
  rows.table[row * rows.table_stride + length - 1] = slot.places[parent];
  a.state.nodes[(length - 1) * pitch + sentence * a.beam + beam] = {
      slot.tokens[i], parent, slot.scores[i] - slot.beam_scores[parent]};
}

__device__ void ban(const BeamStepArgs& a, std::int64_t row, int length) {
  const bool bans_end = length < a.min_length;
  const int each = (bans_end ? 1 : 0) + (a.banned_id >= 0 ? 1 : 0);
  a.ban_offsets[row + 1] = (row + 1) * each;
  for (int i = 0; i < each; ++i) {
    a.bans[row * each + i] = i == 0 && bans_end ? a.end_id : a.banned_id;
  }
}

__global__ void __launch_bounds__(kBeamThreads) beam_step_kernel(BeamStepArgs a) {
  __shared__ Slot slot;
  const std::int64_t first_row = blockIdx.x * a.beam;
  const std::int32_t sentence = a.rows.sentences[blockIdx.x];
  const int length = a.rows.positions[first_row] + 1;
  read_slot(a, slot, first_row);
  if (threadIdx.x == 0 && (sentence < 0 || !search(a, slot, sentence, length))) {
    slot.beams_kept = 0;
    a.rows.sentences[blockIdx.x] = -1;
  }
  __syncthreads();
  move_table(a, slot, first_row, length);
  __syncthreads();
  for (int beam = static_cast<int>(threadIdx.x); beam < a.beam; beam += kBeamThreads) {
    write_row(a, slot, first_row, sentence, beam, length);
    if (slot.beams_kept == 0) {
      a.rows.memory_counts[first_row + beam] = 0;
    }
    if (a.ban_offsets != nullptr) {
      ban(a, first_row + beam, length);
    }
  }
}

void beam_step(const BeamStepArgs& args, Exec& exec) {
  check<NotImplemented>(args.beam <= kMostBeams && args.k <= kMostCandidates,
                        "beam_step: {} beams and {} candidates are more than the cuda backend's {} "
                        "and {}",
                        args.beam, args.k, kMostBeams, kMostCandidates);
  if (args.slots > 0) {
    beam_step_kernel<<<static_cast<unsigned>(args.slots), kBeamThreads, 0, stream_of(exec)>>>(args);
  }
  check_launch("beam_step");
}

const Registration registration([](Kernels& table) { table.beam_step = beam_step; });

}  // namespace
}  // namespace yona::cuda
