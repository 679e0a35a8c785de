// Arguments of the kernels behind recurrent layers and convolutions over ragged batches. The
// products are matmul's; what is left is one pass over the rows of a time step, and the neighbours
// of each token put beside each other.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "yona/backend/view.h"

namespace yona {

// lstm: Hochreiter and Schmidhuber 1997 with a forget gate (Gers et al. 2000); gru: Cho et al.
// 2014, its reset gate after the product, as PyTorch and cuDNN have it; tanh: Elman 1990.
enum class Cell : std::uint8_t { lstm, gru, tanh };
constexpr std::array<std::string_view, 3> enum_names(Cell) { return {"lstm", "gru", "tanh"}; }

// How many times d the columns of a cell's products are: i f g o, r z n, or h alone.
constexpr std::int64_t gates_of(Cell cell) {
  return cell == Cell::lstm ? 4 : cell == Cell::gru ? 3 : 1;
}

// One time step of n rows. With a = input (W x + b) and u = hidden (U h' + b'), [n, gates · d]
// each:
//   lstm  i, f, o = σ(a + u), g = tanh(a + u):   c = f ∘ c' + i ∘ g,   h = o ∘ tanh(c)
//   gru   r, z = σ(a + u),  m = tanh(a_n + r ∘ u_n):   h = (1 - z) ∘ m + z ∘ h'
//   tanh  h = tanh(a + u)
// The gates replace `input`; `kept` is c of lstm and u_n of gru. Backward reads both.
struct RecurrentStepArgs {
  Cell cell = Cell::lstm;
  View input{}, hidden{};
  View h_before{};  // h' [n, d]; gru
  View c_before{};  // c' [n, d]; lstm; empty: zero
  View h{};         // [n, d]
  View kept{};      // [n, d], f32 where the others have 16 bits; lstm, gru
};

// dinput and dhidden are written; they are the same but for gru, which alone needs a dhidden of its
// own. dc is the gradient that reaches c by way of the next step: read, and replaced by that of c'.
// gru also adds to the gradient of h' what passes by its gates: dh_before += z ∘ dh.
struct RecurrentStepBackwardArgs {
  RecurrentStepArgs forward{};  // input (the gates), h_before, c_before, h and kept are read
  View dh{};                    // [n, d]
  View dc{};                    // [n, d], as kept; lstm
  View dinput{};                // [n, gates · d]
  View dhidden{}, dh_before{};  // gru
};

// What a convolution multiplies with its weights: row t of y is rows t + first, t + first +
// dilation, … of x beside each other, `width` of them, with zeros for those outside of t's
// sentence. A row u is in the sentence of t where positions[u] - positions[t] = u - t.
struct NeighboursArgs {
  View x{}, y{};  // [T, d], [T, width · d]
  const std::int32_t* positions = nullptr;
  std::int64_t width = 1;
  std::int64_t dilation = 1;
  std::int64_t first = 0;  // -(width - 1) · dilation sees nothing that follows
};

// dx[t] (+)= Σ_k dy[t - first - k · dilation][k-th part], where that row is in t's sentence, in the
// order of k.
struct NeighboursBackwardArgs {
  NeighboursArgs forward{};  // but for x and y
  View dy{}, dx{};
  bool accumulate = false;
};

}  // namespace yona
