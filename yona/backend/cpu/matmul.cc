// Matrix products by oneDNN, one single-threaded call for each slice of a plan that depends on the
// problem alone (see matmul_plan.h).
//
// The number of tokens changes with every batch, shapes that oneDNN has made machine code for do
// not. So products over rows of tokens are primitives in blocks of 16·x rows, and the last few rows
// go another way: through sgemm, which needs no preparation, or, in bf16, padded with zeros.
// Gradients of weights, whose sum runs over the tokens, are sgemm throughout (for a transposed left
// side it is as fast); in bf16 the sum is padded with zeros.

#include <algorithm>
#include <cmath>

#include "yona/backend/cpu/bf16.h"
#include "yona/backend/cpu/matmul_plan.h"
#include "yona/backend/cpu/onednn.h"
#include "yona/backend/cpu/scratch.h"
#include "yona/backend/registration.h"

namespace yona::cpu {

namespace {

struct Range {
  std::int64_t begin = 0, size = 0;
};

Range block_range(std::int64_t block, std::int64_t block_size, std::int64_t total) {
  const std::int64_t begin = block * block_size;
  return {begin, std::min(block_size, total - begin)};
}

// Where a block's result goes, and what happens to it there.
struct Destination {
  float* c = nullptr;
  std::int64_t stride = 0;
  bool accumulate = false;
  const float* bias = nullptr;
  Activation activation = Activation::none;
};

Destination destination_of(const MatmulArgs& args, std::int64_t row, std::int64_t column) {
  return {args.c.row<float>(row) + column, args.c.stride, args.accumulate,
          args.bias ? args.bias.row<float>(0) + column : nullptr, args.activation};
}

// row ← activation(Σ terms + row (if it accumulates) + bias); the terms lie `step` apart.
void finish_row(const float* terms, std::int64_t count, std::int64_t step, std::int64_t n,
                const Destination& to, float* row) {
  const float least = to.activation == Activation::relu ? 0.0F : -INFINITY;
  for (std::int64_t j = 0; j < n; ++j) {
    float sum = to.accumulate ? row[j] : 0.0F;
    for (std::int64_t term = 0; term < count; ++term) {
      sum += terms[term * step + j];
    }
    sum += to.bias != nullptr ? to.bias[j] : 0.0F;
    row[j] = std::max(sum, least);
  }
}

// The block of op(a) or op(b) that begins at (row, col).
const void* block_of(const View& operand, bool transposed, std::int64_t row, std::int64_t col) {
  const std::int64_t offset = transposed ? col * operand.stride + row : row * operand.stride + col;
  return static_cast<const std::byte*>(operand.data) +
         offset * static_cast<std::int64_t>(size_of(operand.dtype));
}

// One product of f32 or bf16 operands, cut by its plan.
class SlicedProduct {
 public:
  SlicedProduct(const MatmulArgs& args, const View& a, const View& b, std::int64_t k)
      : args_(args), a_(a), b_(b) {
    plan_ = args.transpose_a ? plan_tiles(args.c.rows, args.c.cols, k)
                             : plan_rows(args.c.rows, args.c.cols, k);
  }

  void run(ThreadPool& pool) const {
    if (plan_.depth_blocks() > 1) {
      run_in_depth(pool);
      return;
    }
    pool.run(plan_.slices(), [this](std::int64_t slice) {
      const Range columns = block_range(slice % plan_.col_blocks(), plan_.col_block, plan_.n);
      const Range rows = block_range(slice / plan_.col_blocks(), plan_.row_block, plan_.m);
      run_block(rows, columns, {0, plan_.k}, destination_of(args_, rows.begin, columns.begin));
    });
  }

 private:
  // The sum is cut: every slice adds up its part of it, then the parts are added in order.
  void run_in_depth(ThreadPool& pool) const {
    thread_local Scratch<float> scratch;
    const std::int64_t parts = plan_.depth_blocks();
    const std::int64_t size = plan_.m * plan_.n;
    float* sums = scratch.get(static_cast<std::size_t>(parts * size));
    pool.run(parts, [&](std::int64_t part) {
      run_block({0, plan_.m}, {0, plan_.n}, block_range(part, plan_.depth_block, plan_.k),
                {.c = sums + part * size, .stride = plan_.n});
    });
    pool.run_ranges(plan_.m, kRowUnit, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const Destination to = destination_of(args_, i, 0);
        finish_row(sums + i * plan_.n, parts, size, plan_.n, to, to.c);
      }
    });
  }

  void run_block(Range rows, Range columns, Range depth, const Destination& to) const {
    if (args_.transpose_a) {
      multiply(rows, columns, depth, to, a_.dtype == DType::f32);
      return;
    }
    const std::int64_t whole = rows.size / kRowUnit * kRowUnit;
    if (whole > 0) {
      multiply({rows.begin, whole}, columns, depth, to, false);
    }
    if (whole < rows.size) {
      Destination rest = to;
      rest.c += whole * to.stride;
      run_rest({rows.begin + whole, rows.size - whole}, columns, depth, rest);
    }
  }

  void run_rest(Range rows, Range columns, Range depth, const Destination& to) const {
    if (a_.dtype == DType::f32) {
      multiply(rows, columns, depth, to, true);
      return;
    }
    thread_local Scratch<float> scratch;
    float* padded = scratch.get(static_cast<std::size_t>(kRowUnit * columns.size));
    multiply({rows.begin, kRowUnit}, columns, depth, {.c = padded, .stride = columns.size}, false);
    for (std::int64_t i = 0; i < rows.size; ++i) {
      finish_row(padded + i * columns.size, 1, 0, columns.size, to, to.c + i * to.stride);
    }
  }

  void multiply(Range rows, Range columns, Range depth, const Destination& to, bool once) const {
    const ProductShape shape = {.m = rows.size,
                                .n = columns.size,
                                .k = depth.size,
                                .lda = a_.stride,
                                .ldb = b_.stride,
                                .ldc = to.stride,
                                .transpose_a = args_.transpose_a,
                                .transpose_b = args_.transpose_b,
                                .accumulate = to.accumulate,
                                .bias = to.bias != nullptr,
                                .activation = to.activation,
                                .operands = a_.dtype};
    const ProductData data = {block_of(a_, args_.transpose_a, rows.begin, depth.begin),
                              block_of(b_, args_.transpose_b, depth.begin, columns.begin), to.c,
                              to.bias};
    if (once) {
      run_sgemm(shape, data);
    } else {
      run_primitive(shape, data);
    }
  }

  const MatmulArgs& args_;
  View a_, b_;
  MatmulPlan plan_;
};

// A copy of an operand rounded to bf16, its rows padded with zeros to whole units.
View rounded_copy(const View& view, std::int64_t unit, Scratch<std::byte>& scratch,
                  ThreadPool& pool) {
  View copy = view;
  copy.dtype = onednn_has_bf16() ? DType::bf16 : DType::f32;
  copy.rows = round_up(view.rows, unit);
  copy.stride = view.cols;
  copy.data = scratch.get(static_cast<std::size_t>(copy.rows * copy.cols) * size_of(copy.dtype));
  round_to_bf16(view, copy, pool);
  return copy;
}

void bf16_product(const MatmulArgs& args, std::int64_t k, ThreadPool& pool) {
  thread_local Scratch<std::byte> a_scratch;
  thread_local Scratch<std::byte> b_scratch;
  constexpr std::int64_t kDepthUnit = 64;
  const bool pad_depth = args.transpose_a && !args.transpose_b;
  const std::int64_t unit = pad_depth ? kDepthUnit : kRowUnit;
  const View a = rounded_copy(args.a, unit, a_scratch, pool);
  const View b = rounded_copy(args.b, pad_depth ? unit : 1, b_scratch, pool);
  SlicedProduct(args, a, b, pad_depth ? a.rows : k).run(pool);
}

void matmul(const MatmulArgs& args, Exec& exec) {
  if (args.c.dtype != DType::f32) {
    reference_kernels().matmul.function()(args, exec);
    return;
  }
  const std::int64_t k = args.transpose_a ? args.a.rows : args.a.cols;
  if (k == 0) {
    for (std::int64_t i = 0; i < args.c.rows; ++i) {
      finish_row(nullptr, 0, 0, args.c.cols, destination_of(args, i, 0), args.c.row<float>(i));
    }
  } else if (args.c.rows > 0 && args.c.cols > 0) {
    if (args.precision == Precision::bf16) {
      bf16_product(args, k, *exec.pool);
    } else {
      SlicedProduct(args, args.a, args.b, k).run(*exec.pool);
    }
  }
}

const Registration registration(BackendKind::cpu, [](Kernels& table) { table.matmul = matmul; });

}  // namespace
}  // namespace yona::cpu
