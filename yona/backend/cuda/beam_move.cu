// Sentences that go on move together into fewer slots: a block to each row.

#include "yona/backend/cuda/common/rows.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

constexpr int kMoveThreads = 64;

__global__ void __launch_bounds__(kMoveThreads) beam_move_kernel(BeamMoveArgs a) {
  const std::int64_t slot = blockIdx.x / a.beam;
  const std::int64_t to = blockIdx.x;
  const std::int32_t from_slot = a.index[slot];
  const std::int64_t from = from_slot * a.beam + to % a.beam;
  if (from_slot >= 0) {
    for (int j = static_cast<int>(threadIdx.x); j < a.from.counts[from]; j += kMoveThreads) {
      a.to.table[to * a.to.table_stride + j] = a.from.table[from * a.from.table_stride + j];
    }
  }
  if (threadIdx.x != 0) {
    return;
  }
  if (to % a.beam == 0) {
    a.to.sentences[slot] = from_slot < 0 ? -1 : a.from.sentences[from_slot];
  }
  a.to.positions[to] = a.from.positions[0];  // equal in all rows
  a.to.ids[to] = from_slot < 0 ? a.first_id : a.from.ids[from];
  a.to.scores[to] = from_slot < 0 ? -INFINITY : a.from.scores[from];
  a.to.counts[to] = from_slot < 0 ? 0 : a.from.counts[from];
  a.to.places[to] = from_slot < 0 ? -1 : a.from.places[from];
  a.to.memory_first[to] = from_slot < 0 ? 0 : a.from.memory_first[from];
  a.to.memory_counts[to] = from_slot < 0 ? 0 : a.from.memory_counts[from];
}

void beam_move(const BeamMoveArgs& args, Exec& exec) {
  const std::int64_t rows = args.slots * args.beam;
  if (rows > 0) {
    beam_move_kernel<<<static_cast<unsigned>(rows), kMoveThreads, 0, stream_of(exec)>>>(args);
  }
  check_launch("beam_move");
}

const Registration registration([](Kernels& table) { table.beam_move = beam_move; });

}  // namespace
}  // namespace yona::cuda
