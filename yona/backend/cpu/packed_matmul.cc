// Products with packed weights, for decoding: from one row, where the weights stream through at the
// memory's speed, to hundreds, where the multiply-adds are the limit.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "yona/backend/cpu/half_panel.h"
#include "yona/backend/cpu/matmul_plan.h"
#include "yona/backend/cpu/panel_product.h"
#include "yona/backend/cpu/sparse_product.h"
#include "yona/backend/cpu/spread_panel.h"
#include "yona/backend/cpu/transpose.h"
#include "yona/backend/panels.h"
#include "yona/backend/registration.h"

namespace yona::cpu {

namespace {

void multiply_spread_panel(PanelProduct product, const Panel<float>& panel, const View& weights) {
  if (is_half(weights)) {
    multiply_half_panel(product, half_panel(weights, panel.first / kPanelRows), weights.dtype,
                        panel.rows);
    return;
  }
  thread_local Scratch<float> scratch;
  product.panel = spread_panel(panel, product.k, scratch);
  multiply_panel(product, panel.rows);
}

PanelProduct whole_product(const PackedMatmulArgs& args) {
  return {.x = args.x.row<float>(0),
          .x_stride = args.x.stride,
          .rows = args.x.rows,
          .k = args.x.cols,
          .y_stride = args.y.stride,
          .least = args.activation == Activation::relu ? 0.0F : -INFINITY};
}

// Moves a product on to panel p; one of 2-byte weights has no panel of floats.
Panel<float> go_to(PanelProduct& product, const PackedMatmulArgs& args, std::int64_t p) {
  const auto panel = panel_of<float>(args.weights, p);
  product.panel = is_half(args.weights) ? nullptr : panel.data;
  product.y = args.y.row<float>(0) + panel.first;
  product.bias = args.bias ? args.bias.row<float>(0) + panel.first : nullptr;
  return panel;
}

// How many panels a slice reads side by side: as evenly cut as can be, and so few that no thread
// goes without.
std::int64_t panels_at_once(std::int64_t panels, std::int64_t threads) {
  const std::int64_t most = threads == 1 ? kPanelsAtOnce : kPanelsAtOnce / 2 + 1;
  const std::int64_t group = std::clamp<std::int64_t>(panels / threads, 1, most);
  return divide_up(panels, divide_up(panels, group));
}

// Slices: panels_at_once() panels. A single row, or few with many zeros.
void multiply_side_by_side(const PackedMatmulArgs& args, std::span<const std::int32_t> places,
                           Exec& exec) {
  const std::int64_t panels = panel_count(args.weights);
  const std::int64_t group = panels_at_once(panels, exec.pool->threads());
  exec.pool->run_ranges(panels, group, [&](std::int64_t begin, std::int64_t end) {
    PanelProduct product = whole_product(args);
    const bool narrow = panel_of<float>(args.weights, end - 1).rows < kPanelRows;
    const std::int64_t whole = end - begin - (narrow ? 1 : 0);
    go_to(product, args, begin);
    if (is_half(args.weights)) {
      multiply_half_row(product, half_panel(args.weights, begin), args.weights.dtype, whole);
    } else if (places.empty()) {
      multiply_row(product, whole);
    } else {
      multiply_places(product, whole, places);
    }
    if (narrow) {
      const Panel<float> last = go_to(product, args, end - 1);
      multiply_spread_panel(product, last, args.weights);
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
  const std::span<const std::int32_t> places =
      args.y.rows <= kMostSparseRows && !is_half(args.weights) ? find_places(whole_product(args))
                                                               : std::span<const std::int32_t>();
  if (args.y.rows == 1 || !places.empty()) {
    multiply_side_by_side(args, places, exec);
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
    PanelProduct product = whole_product(args);
    product.x += row * args.x.stride;
    product.rows = std::min(kBlockRows, args.y.rows - row);
    const std::int64_t begin = slice % groups * group;
    const std::int64_t end = one_thread ? panels : std::min(begin + group, panels);
    for (std::int64_t p = begin; p < std::min(begin + group, panels); ++p) {
      const auto panel = go_to(product, args, p);
      product.y += row * args.y.stride;
      product.last = p + 1 >= end;
      if (panel.rows < kPanelRows || is_half(args.weights)) {
        multiply_spread_panel(product, panel, args.weights);
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
    float* transposed = scratch.get(static_cast<std::size_t>(panel.rows * k));
    transpose(panel.data, k, panel.rows, k, transposed, panel.rows);
    std::copy_n(transposed, panel.rows * k, panel.data);
  });
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.pack = pack;
  table.packed_matmul = packed_matmul;
});

}  // namespace
}  // namespace yona::cpu
