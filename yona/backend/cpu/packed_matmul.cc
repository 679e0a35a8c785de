// Products with packed weights, for decoding: from one row, where the weights stream through at the
// memory's speed, to hundreds, where the multiply-adds are the limit.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "yona/backend/cpu/matmul_plan.h"
#include "yona/backend/cpu/panel_product.h"
#include "yona/backend/cpu/spread_panel.h"
#include "yona/backend/cpu/transpose.h"
#include "yona/backend/panels.h"
#include "yona/backend/registration.h"

namespace yona::cpu {

namespace {

void multiply_last_panel(PanelProduct product, const Panel<float>& panel) {
  thread_local Scratch<float> scratch;
  product.panel = spread_panel(panel, product.k, scratch);
  multiply_panel(product, panel.rows);
}

// Slices: a few panels that are read side by side, fewer where threads would go without.
void multiply_one_row(const PackedMatmulArgs& args, Exec& exec) {
  const std::int64_t panels = panel_count(args.weights);
  const std::int64_t group =
      std::clamp<std::int64_t>(panels / exec.pool->threads(), 1, kPanelsAtOnce);
  exec.pool->run_ranges(panels, group, [&](std::int64_t begin, std::int64_t end) {
    const auto first = panel_of<float>(args.weights, begin);
    PanelProduct product{.x = args.x.row<float>(0),
                         .rows = 1,
                         .k = args.x.cols,
                         .panel = first.data,
                         .y = args.y.row<float>(0) + first.first,
                         .bias = args.bias ? args.bias.row<float>(0) + first.first : nullptr,
                         .least = args.activation == Activation::relu ? 0.0F : -INFINITY};
    const auto last = panel_of<float>(args.weights, end - 1);
    const std::int64_t whole = end - begin - (last.rows < kPanelRows ? 1 : 0);
    multiply_row(product, whole);
    if (whole < end - begin) {
      product.y = args.y.row<float>(0) + last.first;
      product.bias = args.bias ? args.bias.row<float>(0) + last.first : nullptr;
      multiply_last_panel(product, last);
    }
  });
}

// Slices: blocks of at most 128 rows, which stay in the second-level cache, and at most 64 groups
// of panels.
void packed_matmul(const PackedMatmulArgs& args, Exec& exec) {
  if (args.y.dtype != DType::f32) {
    reference_kernels().packed_matmul.function()(args, exec);
    return;
  }
  if (args.y.rows == 0 || args.y.cols == 0) {
    return;
  }
  if (args.y.rows == 1) {
    multiply_one_row(args, exec);
    return;
  }
  constexpr std::int64_t kBlockRows = 128;
  constexpr std::int64_t kGroups = 64;
  const std::int64_t panels = panel_count(args.weights);
  const std::int64_t group = divide_up(panels, kGroups);
  const std::int64_t groups = divide_up(panels, group);
  const bool one_thread = exec.pool->threads() == 1;
  exec.pool->run(divide_up(args.y.rows, kBlockRows) * groups, [&](std::int64_t slice) {
    const std::int64_t row = slice / groups * kBlockRows;
    PanelProduct product{.x = args.x.row<float>(row),
                         .x_stride = args.x.stride,
                         .rows = std::min(kBlockRows, args.y.rows - row),
                         .k = args.x.cols,
                         .y_stride = args.y.stride,
                         .least = args.activation == Activation::relu ? 0.0F : -INFINITY};
    const std::int64_t begin = slice % groups * group;
    const std::int64_t end = one_thread ? panels : std::min(begin + group, panels);
    for (std::int64_t p = begin; p < std::min(begin + group, panels); ++p) {
      const auto panel = panel_of<float>(args.weights, p);
      product.panel = panel.data;
      product.last = p + 1 >= end;
      product.y = args.y.row<float>(row) + panel.first;
      product.bias = args.bias ? args.bias.row<float>(0) + panel.first : nullptr;
      if (panel.rows < kPanelRows) {
        multiply_last_panel(product, panel);
      } else {
        multiply_panel(product);
      }
    }
  });
}

void pack(const PackArgs& args, Exec& exec) {
  if (args.weights.dtype != DType::f32) {
    reference_kernels().pack.function()(args, exec);
    return;
  }
  const std::int64_t k = args.weights.cols;
  exec.pool->run(panel_count(args.weights), [&](std::int64_t p) {
    thread_local Scratch<float> scratch;
    const auto panel = panel_of<float>(args.weights, p);
    float* turned = scratch.get(static_cast<std::size_t>(panel.rows * k));
    transpose(panel.data, k, panel.rows, k, turned, panel.rows);
    std::copy_n(turned, panel.rows * k, panel.data);
  });
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.pack = pack;
  table.packed_matmul = packed_matmul;
});

}  // namespace
}  // namespace yona::cpu
