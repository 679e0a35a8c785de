// A layer of recurrent units over ragged sequences, in one direction.
//
// Rows are put into the order of time: the first tokens of all sentences, the longest sentence
// first, then all second tokens, and so on. The sentences that go on are then the first rows of
// every step, and the states that a step goes on from the first rows of the step before: each step
// is one product and one pass, without gathering. Products with the inputs are one for all steps.
#pragma once

#include <cstdint>
#include <vector>

#include "yona/tensor/context.h"
#include "yona/tensor/ragged.h"

namespace yona {

enum class Direction : std::uint8_t { forward, backward };

struct TimeOrder {
  std::vector<std::int64_t> counts;  // of each step: the sentences that are that long
  Tensor rows;                       // i32 [T]: the batch's row at each place in time
  Tensor places;                     // i32 [T]: the place in time of each of the batch's rows
  Tensor sentences;                  // i32 [S]: from the longest to the shortest
  Tensor before;  // i32 [T]: in [initial states; states], the row that each place goes on from

  std::int64_t sentence_count() const { return sentences.elements(); }
  std::int64_t tokens() const { return rows.elements(); }
};

// backward: sentences are read from their ends.
TimeOrder time_order(const Layout& layout, Direction direction, Region& region);

// The offsets of a layout on the host. A dry run, which has no values, gets sentences of equal
// length.
std::vector<std::int64_t> host_offsets(const Layout& layout, Backend& backend);

// Numbers of rows, as gather_rows() takes them.
Tensor row_numbers(const std::vector<std::int32_t>& rows, Region& region);

// a [T, gates · d], the products of the inputs (W x + b) in the order of time, U [gates · d, d], b'
// [gates · d] and, where there are any, the initial states [S, d] in the order of `sentences` → the
// states h [T, d] in the order of time. See RecurrentStepArgs for the units. The values of a are
// used up: nothing else may read them.
struct RecurrentWeights {
  Tensor weight, bias;
};
Tensor recurrent(Cell cell, const Tensor& a, const RecurrentWeights& hidden, const Tensor& initial,
                 const TimeOrder& order, Context& c);

// One step without a backward pass: a as above for one token in each row, and the rows' states h
// [rows, d] and, of lstm, c [rows, d] → the next ones.
struct RecurrentState {
  Tensor h, c;
};
RecurrentState recurrent_step(Cell cell, const Tensor& a, const RecurrentWeights& hidden,
                              const RecurrentState& before, Context& c);

}  // namespace yona
