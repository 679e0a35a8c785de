// See panel_product.h. bench/ops/packed_matmul_bench.cc holds it against the machine's limits.

#include "yona/backend/cpu/panel_product.h"

#include <algorithm>
#include <array>

#include "yona/backend/cpu/matmul_plan.h"
#include "yona/backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/panel_product.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef YONA_BACKEND_CPU_PANEL_PRODUCT_AHEAD
#define YONA_BACKEND_CPU_PANEL_PRODUCT_AHEAD
namespace yona::cpu {

// Fetches what comes next while a panel is multiplied with: with few rows, which read it once, the
// panel itself, a little ahead; with many, the one after it, into the second-level cache. So the
// memory is busy all the time (m = 32: 1.3 times the speed).
class Ahead {
 public:
  // `passes`: how often the panel will be read from front to back.
  Ahead(const PanelProduct& product, std::int64_t passes)
      : once_(passes == 1),
        at_(product.panel + (once_ ? kDistance : product.k * kPanelRows)),
        end_(product.panel + (product.last ? 1 : 2) * product.k * kPanelRows),
        lines_((kStep * kPanelRows / kLine + passes - 1) / passes) {}

  static constexpr std::int64_t kStep = 4;
  // To be called at every kStep-th row of the panel.
  void fetch() {
    if (at_ >= end_) {
      return;
    }
    if (once_) {
#pragma GCC unroll 16
      for (std::int64_t line = 0; line < kStep * kPanelRows; line += kLine) {
        __builtin_prefetch(at_ + line, 0, 3);
      }
      at_ += kStep * kPanelRows;
    } else {
      for (std::int64_t line = 0; line < lines_; ++line, at_ += kLine) {
        __builtin_prefetch(at_, 0, 2);
      }
    }
  }

 private:
  static constexpr std::int64_t kLine = 16;  // elements
  static constexpr std::int64_t kDistance = 8 * kPanelRows;

  bool once_;
  const float* at_;
  const float* end_;
  std::int64_t lines_;
};

}  // namespace yona::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace yona::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;
constexpr std::int64_t kLanes = hn::MaxLanes(Floats());

// Rows and vectors whose sums are in registers at once: as many as leave room for a row of the
// panel and one element of x. One or two rows take more vectors, to wait less for their sums.
constexpr std::int64_t kMostRows = 6;
constexpr std::int64_t vectors_at_once(std::int64_t rows) {
  return HWY_TARGET == HWY_AVX3 ? 4 : rows == 1 ? 8 : rows == 2 ? 4 : 2;
}

// The sums of kRows rows and kVectors vectors, as k goes on by one.
template <std::int64_t kRows, std::int64_t kVectors>
HWY_INLINE void add_products(const float* HWY_RESTRICT x, std::int64_t x_stride,
                             const float* HWY_RESTRICT panel, Vector (&sums)[kRows][kVectors]) {
  const Floats d;
  Vector weights[kVectors];
#pragma GCC unroll 8
  for (std::int64_t v = 0; v < kVectors; ++v) {
    weights[v] = hn::LoadU(d, panel + v * kLanes);
  }
#pragma GCC unroll 6
  for (std::int64_t i = 0; i < kRows; ++i) {
    const Vector element = hn::Set(d, x[i * x_stride]);
#pragma GCC unroll 8
    for (std::int64_t v = 0; v < kVectors; ++v) {
      sums[i][v] = hn::MulAdd(element, weights[v], sums[i][v]);
    }
  }
}

// Rows `row` … and kVectors vectors of columns. Unrolled by pragma: otherwise the compiler keeps
// the sums in memory.
template <std::int64_t kRows, std::int64_t kVectors>
HWY_INLINE void multiply_block(const PanelProduct& product, std::int64_t row, std::int64_t column,
                               Ahead& ahead) {
  const Floats d;
  const std::int64_t x_stride = product.x_stride;
  const float* HWY_RESTRICT x = product.x + row * x_stride;
  const float* HWY_RESTRICT panel = product.panel + column;
  const std::int64_t y_stride = product.y_stride;
  float* HWY_RESTRICT y = product.y + row * y_stride + column;
  Vector sums[kRows][kVectors];
#pragma GCC unroll 6
  for (std::int64_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
    for (std::int64_t v = 0; v < kVectors; ++v) {
      sums[i][v] = product.starts ? hn::Zero(d) : hn::LoadU(d, y + i * y_stride + v * kLanes);
    }
  }
  std::int64_t k = product.k;
  for (; k >= Ahead::kStep; k -= Ahead::kStep) {
    ahead.fetch();
#pragma GCC unroll 4
    for (std::int64_t step = 0; step < Ahead::kStep; ++step) {
      add_products<kRows, kVectors>(x++, x_stride, panel, sums);
      panel += kPanelRows;
    }
  }
  for (; k > 0; --k) {
    add_products<kRows, kVectors>(x++, x_stride, panel, sums);
    panel += kPanelRows;
  }
  const Vector least = hn::Set(d, product.ends ? product.least : -INFINITY);
  const float* bias = product.ends && product.bias != nullptr ? product.bias + column : nullptr;
#pragma GCC unroll 6
  for (std::int64_t i = 0; i < kRows; ++i, y += y_stride) {
#pragma GCC unroll 8
    for (std::int64_t v = 0; v < kVectors; ++v) {
      const Vector shift = bias != nullptr ? hn::LoadU(d, bias + v * kLanes) : hn::Zero(d);
      hn::StoreU(hn::Max(least, hn::Add(sums[i][v], shift)), d, y + v * kLanes);
    }
  }
}

template <std::int64_t kRows>
HWY_NOINLINE void multiply_rows(const PanelProduct& product, std::int64_t row, Ahead& ahead) {
  constexpr std::int64_t kVectors = vectors_at_once(kRows);
  for (std::int64_t column = 0; column < kPanelRows; column += kVectors * kLanes) {
    multiply_block<kRows, kVectors>(product, row, column, ahead);
  }
}

// Blocks of rows are cut evenly: a last block of few rows would wait for its sums.
HWY_INLINE void multiply_piece(const PanelProduct& product) {
  constexpr std::array<void (*)(const PanelProduct&, std::int64_t, Ahead&), kMostRows> kMultiply = {
      multiply_rows<1>, multiply_rows<2>, multiply_rows<3>,
      multiply_rows<4>, multiply_rows<5>, multiply_rows<6>};
  const std::int64_t blocks = divide_up(product.rows, kMostRows);
  const std::int64_t height = product.rows / blocks;
  const std::int64_t taller = product.rows % blocks;  // this many blocks have one row more
  const std::int64_t width = vectors_at_once(height + (taller > 0 ? 1 : 0)) * kLanes;
  Ahead ahead(product, blocks * (kPanelRows / width));
  std::int64_t row = 0;
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::int64_t rows = height + (block < taller ? 1 : 0);
    kMultiply[static_cast<std::size_t>(rows - 1)](product, row, ahead);
    row += rows;
  }
}

// Many rows take a long panel in pieces, two of which the second-level cache can hold. Sums go on
// where they were: the bits are those of one piece.
void multiply_whole_panel(const PanelProduct& product) {
  constexpr std::int64_t kPiece = 512;
  if (product.rows <= kMostRows || product.k <= kPiece) {
    multiply_piece(product);
    return;
  }
  for (std::int64_t k = 0; k < product.k; k += kPiece) {
    PanelProduct piece = product;
    piece.x += k;
    piece.panel += k * kPanelRows;
    piece.k = std::min(kPiece, product.k - k);
    const bool last = k + piece.k == product.k;
    piece.starts = product.starts && k == 0;
    piece.ends = product.ends && last;
    piece.last = product.last && last;
    multiply_piece(piece);
  }
}

// Sums of all the panels in registers, a row of each of them in turn.
template <std::int64_t kPanels>
HWY_NOINLINE void multiply_row_blocks(const PanelProduct& product) {
  const Floats d;
  constexpr std::int64_t kVectors = kPanelRows / kLanes;
  const std::int64_t k = product.k;
  Vector sums[kPanels][kVectors];
#pragma GCC unroll 7
  for (std::int64_t p = 0; p < kPanels; ++p) {
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < kVectors; ++v) {
      sums[p][v] = hn::Zero(d);
    }
  }
  const float* HWY_RESTRICT panel = product.panel;
  for (std::int64_t j = 0; j < k; ++j, panel += kPanelRows) {
    const Vector element = hn::Set(d, product.x[j]);
#pragma GCC unroll 7
    for (std::int64_t p = 0; p < kPanels; ++p) {
#pragma GCC unroll 4
      for (std::int64_t v = 0; v < kVectors; ++v) {
        const Vector weights = hn::LoadU(d, panel + p * k * kPanelRows + v * kLanes);
        sums[p][v] = hn::MulAdd(element, weights, sums[p][v]);
      }
    }
  }
  const Vector least = hn::Set(d, product.least);
#pragma GCC unroll 7
  for (std::int64_t p = 0; p < kPanels; ++p) {
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < kVectors; ++v) {
      const std::int64_t at = p * kPanelRows + v * kLanes;
      const Vector shift = product.bias != nullptr ? hn::LoadU(d, product.bias + at) : hn::Zero(d);
      hn::StoreU(hn::Max(least, hn::Add(sums[p][v], shift)), d, product.y + at);
    }
  }
}

// Only AVX-512 has registers for more than one panel.
void multiply_row_panels(const PanelProduct& product, std::int64_t panels) {
  constexpr bool kWide = kLanes == 16;
  PanelProduct part = product;
  while (panels > 0) {
    const std::int64_t count = kWide ? std::min(panels, kPanelsAtOnce) : 1;
    if constexpr (kWide) {
      constexpr std::array<void (*)(const PanelProduct&), kPanelsAtOnce> kMultiply = {
          multiply_row_blocks<1>, multiply_row_blocks<2>, multiply_row_blocks<3>,
          multiply_row_blocks<4>, multiply_row_blocks<5>, multiply_row_blocks<6>,
          multiply_row_blocks<7>};
      kMultiply[static_cast<std::size_t>(count - 1)](part);
    } else {
      part.last = product.last && panels == 1;
      multiply_whole_panel(part);
    }
    part = after_panels(part, count);
    panels -= count;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona::cpu {

HWY_EXPORT(multiply_whole_panel);
HWY_EXPORT(multiply_row_panels);

namespace {

// Through memory of our own, as wide as the kernel wants it.
void multiply_narrow_panel(const PanelProduct& product, std::int64_t columns) {
  constexpr std::int64_t kRowsAtOnce = 48;
  std::array<float, kRowsAtOnce * kPanelRows> sums{};
  std::array<float, kPanelRows> bias{};
  if (product.bias != nullptr) {
    std::copy_n(product.bias, columns, bias.begin());
  }
  PanelProduct part = product;
  part.y = sums.data();
  part.y_stride = kPanelRows;
  part.bias = bias.data();
  for (std::int64_t row = 0; row < product.rows; row += kRowsAtOnce) {
    part.rows = std::min(kRowsAtOnce, product.rows - row);
    part.x = product.x + row * product.x_stride;
    float* y = product.y + row * product.y_stride;
    for (std::int64_t i = 0; !product.starts && i < part.rows; ++i) {
      std::copy_n(y + i * product.y_stride, columns, part.y + i * kPanelRows);
    }
    HWY_DYNAMIC_DISPATCH(multiply_whole_panel)(part);
    for (std::int64_t i = 0; i < part.rows; ++i) {
      std::copy_n(part.y + i * kPanelRows, columns, y + i * product.y_stride);
    }
  }
}

}  // namespace

void multiply_panel(const PanelProduct& product, std::int64_t columns) {
  if (columns < kPanelRows) {
    multiply_narrow_panel(product, columns);
  } else {
    HWY_DYNAMIC_DISPATCH(multiply_whole_panel)(product);
  }
}

void multiply_row(const PanelProduct& product, std::int64_t panels) {
  HWY_DYNAMIC_DISPATCH(multiply_row_panels)(product, panels);
}

}  // namespace yona::cpu
#endif  // HWY_ONCE
