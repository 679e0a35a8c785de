// Sentences that go on move together into fewer slots, as plain loops.

#include <algorithm>
#include <limits>

#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

void leave_empty(const BeamMoveArgs& args, std::int64_t row) {
  args.to.ids[row] = args.first_id;
  args.to.positions[row] = args.from.positions[0];
  args.to.scores[row] = -std::numeric_limits<float>::infinity();
  args.to.counts[row] = 0;
  args.to.places[row] = -1;
  args.to.memory_first[row] = 0;
  args.to.memory_counts[row] = 0;
}

void move_row(const BeamMoveArgs& args, std::int64_t from, std::int64_t to) {
  args.to.ids[to] = args.from.ids[from];
  args.to.positions[to] = args.from.positions[from];
  args.to.scores[to] = args.from.scores[from];
  args.to.counts[to] = args.from.counts[from];
  args.to.places[to] = args.from.places[from];
  args.to.memory_first[to] = args.from.memory_first[from];
  args.to.memory_counts[to] = args.from.memory_counts[from];
  std::copy_n(args.from.table + from * args.from.table_stride, args.from.counts[from],
              args.to.table + to * args.to.table_stride);
}

void beam_move(const BeamMoveArgs& args, Exec& /*exec*/) {
  for (std::int64_t slot = 0; slot < args.slots; ++slot) {
    const std::int64_t from = args.index[slot];
    args.to.sentences[slot] = from < 0 ? -1 : args.from.sentences[from];
    for (std::int64_t beam = 0; beam < args.beam; ++beam) {
      if (from < 0) {
        leave_empty(args, slot * args.beam + beam);
      } else {
        move_row(args, from * args.beam + beam, slot * args.beam + beam);
      }
    }
  }
}

const Registration registration(BackendKind::reference,
                                [](Kernels& table) { table.beam_move = beam_move; });

}  // namespace
}  // namespace yona::reference
