// Products of bytes, for decoding: the rows of x are rounded first, then the weights stream through
// at the memory's speed (one row) or at that of the multiply-adds (dozens).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "yona/backend/cpu/int8_product.h"
#include "yona/backend/cpu/int8_rows.h"
#include "yona/backend/cpu/matmul_plan.h"
#include "yona/backend/cpu/scratch.h"
#include "yona/backend/panels.h"
#include "yona/backend/registration.h"

namespace yona::cpu {

namespace {

class Int8Matmul {
 public:
  Int8Matmul(const Int8MatmulArgs& args, const RoundedRows& x, Exec& exec)
      : args_(args), x_(x), exec_(exec), panels_(divide_up(args.y.cols, kPanelRows)) {}

  // Slices: a few panels, fewer where threads would go without. A single row, or few with many
  // zeros (see find_int8_groups).
  void multiply_few_rows(std::span<const std::int32_t> groups) const {
    constexpr std::int64_t kAtOnce = 8;
    const std::int64_t slice =
        std::clamp<std::int64_t>(panels_ / exec_.pool->threads(), 1, kAtOnce);
    exec_.pool->run_ranges(panels_, slice, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t whole = std::min(end, args_.y.cols / kPanelRows);
      const Int8Product first = product(0, args_.y.rows, begin);
      if (groups.empty()) {
        multiply_int8_row(first, whole - begin);
      } else {
        multiply_int8_groups(first, whole - begin, groups);
      }
      if (whole < end) {
        multiply_int8_panel(product(0, args_.y.rows, whole), args_.y.cols - whole * kPanelRows);
      }
    });
  }

  std::span<const std::int32_t> find_groups() const {
    return find_int8_groups(product(0, args_.y.rows, 0));
  }

  // Slices: blocks of at most 128 rows, which stay in the second-level cache, and at most 64 groups
  // of panels.
  void multiply_rows() const {
    constexpr std::int64_t kBlockRows = 128;
    constexpr std::int64_t kGroups = 64;
    const std::int64_t group = divide_up(panels_, kGroups);
    const std::int64_t groups = divide_up(panels_, group);
    const bool one_thread = exec_.pool->threads() == 1;
    exec_.pool->run(divide_up(args_.y.rows, kBlockRows) * groups, [&](std::int64_t slice) {
      const std::int64_t row = slice / groups * kBlockRows;
      const std::int64_t begin = slice % groups * group;
      const std::int64_t end = std::min(begin + group, panels_);
      for (std::int64_t p = begin; p < end; ++p) {
        Int8Product part = product(row, std::min(kBlockRows, args_.y.rows - row), p);
        part.last = p + 1 >= (one_thread ? panels_ : end);
        multiply_int8_panel(part, std::min(kPanelRows, args_.y.cols - p * kPanelRows));
      }
    });
  }

 private:
  Int8Product product(std::int64_t row, std::int64_t rows, std::int64_t panel) const {
    const std::int64_t column = panel * kPanelRows;
    return {.x = x_.row(row),
            .x_stride = x_.stride(),
            .x_scales = x_.scale(row),
            .rows = rows,
            .groups = x_.stride() / kInt8Group,
            .panel = args_.weights.values.row<std::int8_t>(panel),
            .scales = args_.weights.scales.row<float>(0) + column,
            .sums = args_.weights.sums.row<std::int32_t>(0) + column,
            .y = args_.y.row<float>(row) + column,
            .y_stride = args_.y.stride,
            .bias = args_.bias ? args_.bias.row<float>(0) + column : nullptr,
            .least = args_.activation == Activation::relu ? 0.0F : -INFINITY};
  }

  const Int8MatmulArgs& args_;
  const RoundedRows& x_;
  Exec& exec_;
  std::int64_t panels_;
};

void int8_matmul(const Int8MatmulArgs& args, Exec& exec) {
  if (args.y.rows == 0 || args.y.cols == 0) {
    return;
  }
  thread_local RoundedRows rows;
  rows.round(args.x, exec);
  const Int8Matmul matmul(args, rows, exec);
  const std::span<const std::int32_t> groups = matmul.find_groups();
  if (args.y.rows == 1 || !groups.empty()) {
    matmul.multiply_few_rows(groups);
  } else {
    matmul.multiply_rows();
  }
}

const Registration registration(BackendKind::cpu,
                                [](Kernels& table) { table.int8_matmul = int8_matmul; });

}  // namespace
}  // namespace yona::cpu
