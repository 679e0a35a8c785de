// The same rows in front of every sequence, and the gradients of both.
//
// Rows are copied by the row. The gradient of the first rows is a sum over the sequences: one slice
// owns one of the rows and adds in the order of sequences, so that threads change no bit.

#include <algorithm>

#include "yona/backend/cpu/add_to_row.h"
#include "yona/backend/cpu/slices.h"
#include "yona/backend/registration.h"

namespace yona {

namespace {

// Sequences of a slice, by the mean length of one.
std::int64_t sequences_per_slice(std::int64_t rows, std::int64_t sequences, std::int64_t cols) {
  const std::int64_t length =
      std::max<std::int64_t>(1, rows / std::max<std::int64_t>(1, sequences));
  return cpu::rows_per_slice(length * cols);
}

void prepend_rows(const PrependRowsArgs& args, Exec& exec) {
  if (args.y.dtype != DType::f32) {
    reference_kernels().prepend_rows.function()(args, exec);
    return;
  }
  const std::int64_t slice = sequences_per_slice(args.y.rows, args.sequences, args.y.cols);
  exec.pool->run_ranges(args.sequences, slice, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) {
      std::int64_t to = args.offsets[s] + s * args.first.rows;
      for (std::int64_t i = 0; i < args.first.rows; ++i) {
        std::copy_n(args.first.row<float>(i), args.y.cols, args.y.row<float>(to++));
      }
      for (std::int64_t i = args.offsets[s]; i < args.offsets[s + 1]; ++i) {
        std::copy_n(args.x.row<float>(i), args.y.cols, args.y.row<float>(to++));
      }
    }
  });
}

void copy_or_add(const float* from, std::int64_t cols, bool accumulate, float* to) {
  if (accumulate) {
    cpu::add_to_row(from, cols, to);
  } else {
    std::copy_n(from, cols, to);
  }
}

void prepend_rows_backward(const PrependRowsBackwardArgs& args, Exec& exec) {
  if (args.dy.dtype != DType::f32) {
    reference_kernels().prepend_rows_backward.function()(args, exec);
    return;
  }
  if (args.dfirst) {
    exec.pool->run(args.first_rows, [&](std::int64_t i) {
      for (std::int64_t s = 0; s < args.sequences; ++s) {
        const std::int64_t from = args.offsets[s] + s * args.first_rows + i;
        cpu::add_to_row(args.dy.row<float>(from), args.dy.cols, args.dfirst.row<float>(i));
      }
    });
  }
  if (args.dx) {
    const std::int64_t slice = sequences_per_slice(args.dy.rows, args.sequences, args.dy.cols);
    exec.pool->run_ranges(args.sequences, slice, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t s = begin; s < end; ++s) {
        for (std::int64_t i = args.offsets[s]; i < args.offsets[s + 1]; ++i) {
          copy_or_add(args.dy.row<float>(i + (s + 1) * args.first_rows), args.dy.cols,
                      args.accumulate_dx, args.dx.row<float>(i));
        }
      }
    });
  }
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.prepend_rows = prepend_rows;
  table.prepend_rows_backward = prepend_rows_backward;
});

}  // namespace
}  // namespace yona
