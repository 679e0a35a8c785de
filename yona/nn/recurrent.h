// A recurrent layer in one direction: LSTM, GRU or plain tanh units over ragged sequences.
#pragma once

#include "yona/nn/linear.h"
#include "yona/tensor/ops/recurrent.h"

namespace yona {

class Recurrent : public Module {
 public:
  Recurrent(std::int64_t in, std::int64_t out, Cell cell)
      : cell_(cell), input_(in, gates_of(cell) * out), hidden_(out, gates_of(cell) * out) {
    add("input", input_);
    add("hidden", hidden_);
  }

  // x [T, in] → [T, out], rows in the batch's order. initial: [S, out], a row for each sentence; or
  // empty, which is zero.
  Tensor operator()(const Tensor& x, const TimeOrder& order, const Tensor& initial,
                    Context& c) const;

  // The newest token of each row, x [rows, in] → [rows, out], with the states in c's cache; `first`
  // gives the initial ones, a row for each of `sentences` sentences.
  Tensor step(const Tensor& x, const std::function<Tensor()>& first, std::int64_t sentences,
              Context& c) const;

 private:
  RecurrentWeights hidden() const { return {hidden_.weight(), hidden_.bias()}; }

  Cell cell_;
  Linear input_, hidden_;  // W, b and U, b'
};

}  // namespace yona
