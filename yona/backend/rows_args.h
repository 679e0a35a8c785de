// What kernels are given: kernels that move rows: dropout, embeddings, gathered rows, rotary
// positions. Conventions are in kernel_args.h.
#pragma once

#include <cstdint>

#include "yona/backend/dropout.h"
#include "yona/backend/matmul_args.h"

namespace yona {

// y = residual + dropout(x);  without a residual also its own backward. y may be x.
struct DropoutArgs {
  View x{}, y{};
  const std::uint64_t* row_keys = nullptr;
  Dropout dropout{};
  bool accumulate = false;
  View residual{};  // optional
};

// y = dropout(scale · table[ids] + positions[position]); rows of `padding_id` take zero for the
// table's part and give it no gradient.
struct EmbedArgs {
  const std::int32_t* ids = nullptr;
  const std::int32_t* position_ids = nullptr;
  const std::uint64_t* row_keys = nullptr;
  View table{}, positions{};  // positions optional
  bool packed = false;        // the table is packed (PackArgs); forward only
  Int8Weights int8{};         // instead of the table; forward only
  View y{};                   // forward: output; backward: its gradient
  float scale = 1.0F;
  std::int32_t padding_id = -1;
  Dropout dropout{};
};

// The gradients are added: table_gradient[ids] += scale · mask ∘ dy, position_gradient likewise.
// Sums over equal ids run in row order.
struct EmbedBackwardArgs {
  EmbedArgs forward{};
  View table_gradient{}, position_gradient{};  // each optional
};

// y[i] = x[rows[i]].
struct GatherRowsArgs {
  View x{}, y{};
  const std::int32_t* rows = nullptr;  // [y.rows]
};

// dx[rows[i]] (+)= dy[i]: sums over equal rows run in order of i; rows that nothing is gathered
// from become zero unless added to.
struct GatherRowsBackwardArgs {
  View dy{}, dx{};
  const std::int32_t* rows = nullptr;  // [dy.rows]
  bool accumulate = false;
};

// y[rows[i]] = x[i]. Numbers differ; -1: nowhere.
struct PutRowsArgs {
  View x{}, y{};
  const std::int32_t* rows = nullptr;  // [x.rows]
};

// Each sequence of y is all rows of `first`, and then the sequence of x. `offsets` are those of x.
struct PrependRowsArgs {
  View x{}, first{}, y{};  // y has x.rows + sequences · first.rows rows
  const std::int64_t* offsets = nullptr;
  std::int64_t sequences = 0;
};

// dx (+)= its rows of dy;  dfirst += the others, in the order of sequences.
struct PrependRowsBackwardArgs {
  View dy{}, dx{}, dfirst{};  // dx, dfirst optional
  std::int64_t first_rows = 1;
  const std::int64_t* offsets = nullptr;  // of x
  std::int64_t sequences = 0;
  bool accumulate_dx = false;
};

// y[s] = the mean of rows offsets[s] … offsets[s+1]-1 of x; zero for none.
// Backward, with y and x for their gradients: x[t] (+)= y[s] / rows of s.
struct SegmentMeanArgs {
  View x{}, y{};
  const std::int64_t* offsets = nullptr;
  std::int64_t segments = 0;
  bool accumulate = false;  // backward
};

// Rotary position embedding (Su et al. 2021), in place, on rows of x.cols / d_k heads. In each head
// channel i and channel i + r/2, for i < r/2, are turned by an angle (the order in which Hugging
// Face stores Llama, "rotate half"); channels from r on stay. Row t of x is at positions[t], and
//   table[position] = cos of its r/2 angles, then their sines.
struct RotaryArgs {
  View x{};      // [rows, heads · d_k]
  View table{};  // [positions, r], f32 unless x is f64
  const std::int32_t* positions = nullptr;
  std::int64_t d_k = 0;
  bool inverse = false;  // turns back: the gradient
};

}  // namespace yona
