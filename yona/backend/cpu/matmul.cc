// Matrix products: large ones of f32 by packed panels (panel_matmul.h), those of bf16 by tiles
// where the machine multiplies bf16 (tile_matmul.h), all others by oneDNN, one single-threaded call
// for each slice of a plan that depends on the problem alone (matmul_plan.h).
//
// The number of tokens changes with every batch, shapes that oneDNN has made machine code for do
// not. So products over rows of tokens are primitives in blocks of 16·x rows, and the last few rows
// go another way: through sgemm, which needs no preparation, or, in bf16, padded with zeros.
// Gradients of weights, whose sum runs over the tokens, are sgemm; in bf16 the sum is padded with
// zeros.

#include <algorithm>
#include <cmath>

#include "yona/backend/cpu/bf16.h"
#include "yona/backend/cpu/features.h"
#include "yona/backend/cpu/matmul_plan.h"
#include "yona/backend/cpu/onednn.h"
#include "yona/backend/cpu/panel_matmul.h"
#include "yona/backend/cpu/scratch.h"
#include "yona/backend/cpu/tile_matmul.h"
#include "yona/backend/registration.h"

namespace yona::cpu {

namespace {

constexpr std::int64_t kDepthUnit = kRoundedRows;  // of sums over tokens

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

// row ← activation(sums (if there) + row (if it accumulates) + bias)
void finish_row(const float* sums, std::int64_t n, const Destination& to, float* row) {
  const float least = to.activation == Activation::relu ? 0.0F : -INFINITY;
  for (std::int64_t j = 0; j < n; ++j) {
    float sum = to.accumulate ? row[j] : 0.0F;
    sum += sums != nullptr ? sums[j] : 0.0F;
    sum += to.bias != nullptr ? to.bias[j] : 0.0F;
    row[j] = std::max(sum, least);
  }
}

// A block of op(a) or op(b), as it lies in memory.
struct Operand {
  const void* data = nullptr;
  std::int64_t stride = 0;
  bool transposed = false;
  DType dtype = DType::f32;
};

// The block that begins at (row, col) of the operand.
Operand block_of(const View& view, bool transposed, std::int64_t row, std::int64_t col) {
  const std::int64_t offset = transposed ? col * view.stride + row : row * view.stride + col;
  const auto* data = static_cast<const std::byte*>(view.data) +
                     offset * static_cast<std::int64_t>(size_of(view.dtype));
  return {data, view.stride, transposed, view.dtype};
}

struct Size {
  std::int64_t m = 0, n = 0, k = 0;
};

enum class Shapes { recurring, once };

void multiply(const Operand& a, const Operand& b, const Size& size, const Destination& to,
              Shapes shapes) {
  const ProductShape shape = {.m = size.m,
                              .n = size.n,
                              .k = size.k,
                              .lda = a.stride,
                              .ldb = b.stride,
                              .ldc = to.stride,
                              .transpose_a = a.transposed,
                              .transpose_b = b.transposed,
                              .accumulate = to.accumulate,
                              .bias = to.bias != nullptr,
                              .activation = to.activation,
                              .operands = a.dtype};
  const ProductData data = {a.data, b.data, to.c, to.bias};
  if (shapes == Shapes::once) {
    run_sgemm(shape, data);
  } else {
    run_primitive(shape, data);
  }
}

// One product of f32 or bf16 operands, cut by its plan.
class SlicedProduct {
 public:
  SlicedProduct(const MatmulArgs& args, const View& a, const View& b, std::int64_t k)
      : args_(args), a_(a), b_(b), k_(k) {
    plan_ = args.transpose_a ? plan_tiles(args.c.rows, args.c.cols, k)
                             : plan_rows(args.c.rows, args.c.cols, k);
  }

  void run(ThreadPool& pool) const {
    pool.run(plan_.slices(), [this](std::int64_t slice) {
      const Range columns = block_range(slice % plan_.col_blocks(), plan_.col_block, plan_.n);
      const Range rows = block_range(slice / plan_.col_blocks(), plan_.row_block, plan_.m);
      const Destination to = destination_of(args_, rows.begin, columns.begin);
      if (!args_.transpose_a) {
        run_rows(rows, columns, to);
      } else {
        multiply(left(rows.begin, 0), right(0, columns.begin), {rows.size, columns.size, k_}, to,
                 a_.dtype == DType::f32 ? Shapes::once : Shapes::recurring);
      }
    });
  }

 private:
  Operand left(std::int64_t row, std::int64_t depth) const {
    return block_of(a_, args_.transpose_a, row, depth);
  }
  Operand right(std::int64_t depth, std::int64_t column) const {
    return block_of(b_, args_.transpose_b, depth, column);
  }

  void run_rows(Range rows, Range columns, const Destination& to) const {
    const std::int64_t whole = rows.size / kRowUnit * kRowUnit;
    if (whole > 0) {
      multiply(left(rows.begin, 0), right(0, columns.begin), {whole, columns.size, k_}, to,
               Shapes::recurring);
    }
    if (whole < rows.size) {
      Destination rest = to;
      rest.c += whole * to.stride;
      run_last_rows({rows.begin + whole, rows.size - whole}, columns, rest);
    }
  }

  void run_last_rows(Range rows, Range columns, const Destination& to) const {
    const Operand a = left(rows.begin, 0);
    const Operand b = right(0, columns.begin);
    if (a.dtype == DType::f32) {
      multiply(a, b, {rows.size, columns.size, k_}, to, Shapes::once);
      return;
    }
    thread_local Scratch<float> scratch;
    float* padded = scratch.get(static_cast<std::size_t>(kRowUnit * columns.size));
    multiply(a, b, {kRowUnit, columns.size, k_}, {.c = padded, .stride = columns.size},
             Shapes::recurring);
    for (std::int64_t i = 0; i < rows.size; ++i) {
      finish_row(padded + i * columns.size, columns.size, to, to.c + i * to.stride);
    }
  }

  const MatmulArgs& args_;
  View a_, b_;
  std::int64_t k_;
  MatmulPlan plan_;
};

// An operand in bf16, its rows padded with zeros to whole units: as it was given, or a copy.
View rounded_operand(const View& view, std::int64_t unit, Scratch<std::byte>& scratch,
                     ThreadPool& pool) {
  View copy = view;
  if (view.dtype == DType::bf16 && onednn_has_bf16()) {
    copy.rows = round_up(view.rows, unit);
    return copy;
  }
  copy.dtype = onednn_has_bf16() ? DType::bf16 : DType::f32;
  copy.rows = round_up(view.rows, unit);
  copy.stride = view.cols;
  copy.data = scratch.get(static_cast<std::size_t>(copy.rows * copy.cols) * size_of(copy.dtype));
  if (view.dtype == DType::bf16) {
    widen_bf16(view, copy, pool);
  } else {
    round_to_bf16(view, copy, pool);
  }
  return copy;
}

void bf16_product(const MatmulArgs& args, std::int64_t k, ThreadPool& pool) {
  thread_local Scratch<std::byte> a_scratch;
  thread_local Scratch<std::byte> b_scratch;
  const bool pad_depth = args.transpose_a && !args.transpose_b;
  const std::int64_t unit = pad_depth ? kDepthUnit : kRowUnit;
  const View a = rounded_operand(args.a, unit, a_scratch, pool);
  const View b = rounded_operand(args.b, pad_depth ? unit : 1, b_scratch, pool);
  SlicedProduct(args, a, b, pad_depth ? a.rows : k).run(pool);
}

// Are there enough rows to pack b for, and enough work? Layers of 512 channels and more gain a
// tenth, gradients of their weights a sixth; for smaller ones, and for the vocabulary's few rows at
// a time, oneDNN is as fast or faster.
bool repays_packing(const MatmulArgs& args, std::int64_t k) {
  constexpr std::int64_t kRows = 1024;
  constexpr std::int64_t kElements = std::int64_t{1} << 18U;
  return args.transpose_a ? args.c.rows * args.c.cols >= kElements
                          : args.c.rows >= kRows && args.c.cols * k >= kElements;
}

// Packing tiles takes a pass over b, which few rows do not repay (decoding with bf16 weights):
// oneDNN reads b as it is.
bool repays_tiles(const MatmulArgs& args) {
  constexpr std::int64_t kRows = 32;
  return cpu_has_amx() || (cpu_has_bf16() && args.c.rows >= kRows);
}

void matmul(const MatmulArgs& args, Exec& exec) {
  if (args.c.dtype != DType::f32) {
    reference_kernels().matmul.function()(args, exec);
    return;
  }
  const std::int64_t k = args.transpose_a ? args.a.rows : args.a.cols;
  if (k == 0) {
    for (std::int64_t i = 0; i < args.c.rows; ++i) {
      finish_row(nullptr, args.c.cols, destination_of(args, i, 0), args.c.row<float>(i));
    }
  } else if (args.c.rows > 0 && args.c.cols > 0) {
    if (args.precision == Precision::bf16 && repays_tiles(args)) {
      tile_matmul(args, k, *exec.pool);
    } else if (args.precision == Precision::bf16) {
      bf16_product(args, k, *exec.pool);
    } else if (repays_packing(args, k)) {
      panel_matmul(args, k, *exec.pool);
    } else {
      SlicedProduct(args, args.a, args.b, k).run(*exec.pool);
    }
  }
}

const Registration registration(BackendKind::cpu, [](Kernels& table) { table.matmul = matmul; });

}  // namespace
}  // namespace yona::cpu
