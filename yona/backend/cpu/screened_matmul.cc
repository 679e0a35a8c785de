// Where is a product with few rows largest? A quarter of the memory tells nearly everything: the
// weights as bytes, spread to floats in registers; what their rounding leaves open, a handful of
// columns, is multiplied once more from the weights themselves.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "yona/backend/cpu/matmul_plan.h"
#include "yona/backend/cpu/spread_panel.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/panels.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/screened_matmul.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using ScreenTag = hn::ScalableTag<float>;
using ScreenVector = hn::Vec<ScreenTag>;
constexpr std::int64_t kScreenLanes = hn::MaxLanes(ScreenTag());
constexpr std::int64_t kScreenRows = 4;  // of x at once
constexpr std::int64_t kScreenVectors = kScreenLanes >= 16 ? 4 : 2;

// One panel of weights [k][64] to bytes, scales and errors, of which only the first `rows` are
// written.
void screen_panel(const float* panel, std::int64_t k, std::int64_t rows, std::int8_t* values,
                  float* scales, float* errors) {
  const ScreenTag d;
  const hn::Rebind<std::int8_t, ScreenTag> bytes;
  for (std::int64_t column = 0; column < kPanelRows; column += kScreenLanes) {
    ScreenVector largest = hn::Zero(d);
    for (std::int64_t j = 0; j < k; ++j) {
      largest = hn::Max(largest, hn::Abs(hn::LoadU(d, panel + j * kPanelRows + column)));
    }
    const ScreenVector scale = hn::Mul(largest, hn::Set(d, 1.0F / 127));
    const ScreenVector inverse =
        hn::IfThenElseZero(hn::Gt(scale, hn::Zero(d)), hn::Div(hn::Set(d, 1.0F), scale));
    ScreenVector squares = hn::Zero(d), error_squares = hn::Zero(d);
    for (std::int64_t j = 0; j < k; ++j) {
      const std::int64_t at = j * kPanelRows + column;
      const ScreenVector w = hn::LoadU(d, panel + at);
      const auto value = hn::NearestInt(hn::Mul(w, inverse));
      const ScreenVector error = hn::NegMulAdd(hn::ConvertTo(d, value), scale, w);
      hn::StoreU(hn::DemoteTo(bytes, value), bytes, values + at);
      squares = hn::MulAdd(w, w, squares);
      error_squares = hn::MulAdd(error, error, error_squares);
    }
    alignas(64) std::array<float, kScreenLanes> s{}, norms{}, rounding{};
    hn::Store(scale, d, s.data());
    hn::Store(hn::Sqrt(squares), d, norms.data());
    hn::Store(hn::Sqrt(error_squares), d, rounding.data());
    for (std::int64_t lane = 0; lane < std::min(kScreenLanes, rows - column); ++lane) {
      const auto l = static_cast<std::size_t>(lane);
      scales[column + lane] = s[l];
      errors[column + lane] =
          static_cast<float>(screen_error(static_cast<double>(rounding[l]), norms[l], k));
    }
  }
}

// Products of kRows rows of x with kPanels panels of bytes, which are read side by side (see
// multiply_row() in panel_product.h): sums[row][panel][64].
template <std::int64_t kRows, std::int64_t kPanels>
HWY_INLINE void multiply_bytes(const float* HWY_RESTRICT x, std::int64_t x_stride, std::int64_t k,
                               const std::int8_t* HWY_RESTRICT values, float* HWY_RESTRICT sums) {
  const ScreenTag d;
  const hn::RebindToSigned<ScreenTag> integers;
  const hn::Rebind<std::int8_t, ScreenTag> bytes;
  constexpr std::int64_t kSums = kPanels * kScreenVectors;
  for (std::int64_t column = 0; column < kPanelRows; column += kScreenVectors * kScreenLanes) {
    ScreenVector sum[kRows][kSums];
#pragma GCC unroll 4
    for (std::int64_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
      for (std::int64_t s = 0; s < kSums; ++s) {
        sum[i][s] = hn::Zero(d);
      }
    }
    const std::int8_t* at = values + column;
    for (std::int64_t j = 0; j < k; ++j, at += kPanelRows) {
#pragma GCC unroll 16
      for (std::int64_t s = 0; s < kSums; ++s) {
        const std::int64_t offset =
            s / kScreenVectors * k * kPanelRows + s % kScreenVectors * kScreenLanes;
        const ScreenVector w =
            hn::ConvertTo(d, hn::PromoteTo(integers, hn::LoadU(bytes, at + offset)));
#pragma GCC unroll 4
        for (std::int64_t i = 0; i < kRows; ++i) {
          sum[i][s] = hn::MulAdd(hn::Set(d, x[i * x_stride + j]), w, sum[i][s]);
        }
      }
    }
#pragma GCC unroll 4
    for (std::int64_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
      for (std::int64_t s = 0; s < kSums; ++s) {
        hn::StoreU(sum[i][s], d,
                   sums + (i * kPanels + s / kScreenVectors) * kPanelRows + column +
                       s % kScreenVectors * kScreenLanes);
      }
    }
  }
}

// The first guess at kRows rows and kPanels panels of the product.
template <std::int64_t kRows, std::int64_t kPanels>
HWY_NOINLINE void guess_block(const ScreenedMatmulArgs& args, std::int64_t row, std::int64_t p) {
  alignas(64) std::array<float, kRows * kPanels * kPanelRows> sums;
  multiply_bytes<kRows, kPanels>(args.x.row<float>(row), args.x.stride, args.x.cols,
                                 args.screen.values.row<std::int8_t>(p), sums.data());
  const std::int64_t first = p * kPanelRows;
  const std::int64_t columns = std::min(kPanels * kPanelRows, args.y.cols - first);
  const float* scales = args.screen.scales.row<float>(0) + first;
  for (std::int64_t i = 0; i < kRows; ++i) {
    float* y = args.y.row<float>(row + i) + first;
    const float* sum = sums.data() + i * kPanels * kPanelRows;
    for (std::int64_t j = 0; j < columns; ++j) {
      y[j] = sum[j] * scales[j];
    }
  }
}

// The first guess at all elements of the panels [begin, end).
void guess_panels(const ScreenedMatmulArgs& args, std::int64_t begin, std::int64_t end) {
  constexpr std::array<void (*)(const ScreenedMatmulArgs&, std::int64_t, std::int64_t), kScreenRows>
      kGuess = {guess_block<1, 1>, guess_block<2, 1>, guess_block<3, 1>, guess_block<4, 1>};
  constexpr std::int64_t kAtOnce = kScreenLanes >= 16 ? 4 : 2;
  std::int64_t p = begin;
  for (; args.y.rows == 1 && p + kAtOnce <= end; p += kAtOnce) {
    guess_block<1, kAtOnce>(args, 0, p);
  }
  for (; p < end; ++p) {
    for (std::int64_t row = 0; row < args.y.rows; row += kScreenRows) {
      const std::int64_t rows = std::min(kScreenRows, args.y.rows - row);
      kGuess[static_cast<std::size_t>(rows - 1)](args, row, p);
    }
  }
}

// Column r of the product as packed_matmul sums it: from first to last.
float exact_product(const float* x, const View& weights, std::int64_t r) {
  const hn::CappedTag<float, 1> one;
  const Panel<float> panel = panel_of<float>(weights, r / kPanelRows);
  const float* w = panel.data + r % kPanelRows;
  for (std::int64_t j = 0; j < weights.cols; ++j) {
    __builtin_prefetch(w + j * panel.rows, 0, 3);
  }
  auto sum = hn::Zero(one);
  for (std::int64_t j = 0; j < weights.cols; ++j) {
    sum = hn::MulAdd(hn::Set(one, x[j]), hn::Set(one, w[j * panel.rows]), sum);
  }
  return hn::GetLane(sum) + 0.0F;  // as after a bias of zero
}

// What the `largest`-th largest element of a row is at least, from the first guess.
HWY_INLINE float known_least(const float* y, const float* errors, float norm, std::int64_t n,
                             std::int64_t largest) {
  const ScreenTag d;
  std::array<float, kMostScreened> best{};  // falling
  std::fill_n(best.begin(), largest, -INFINITY);
  float& worst = best[static_cast<std::size_t>(largest - 1)];
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const ScreenVector below =
        or_else(d, hn::NegMulAdd(load(d, errors + j, part), hn::Set(d, norm), load(d, y + j, part)),
                hn::Set(d, -INFINITY), part);
    if (HWY_LIKELY(hn::AllFalse(d, hn::Gt(below, hn::Set(d, worst))))) {
      return;
    }
    alignas(64) std::array<float, kScreenLanes> lanes{};
    hn::Store(below, d, lanes.data());
    for (const float value : lanes) {
      if (value > worst) {
        worst = value;
        for (auto i = static_cast<std::size_t>(largest - 1); i > 0 && best[i] > best[i - 1]; --i) {
          std::swap(best[i], best[i - 1]);
        }
      }
    }
  });
  return worst;
}

// Recomputes the product wherever the estimate leaves open whether an element is among the largest
// of the row.
void mend_row(const ScreenedMatmulArgs& args, std::int64_t row) {
  const ScreenTag d;
  const float* x = args.x.row<float>(row);
  float* y = args.y.row<float>(row);
  const float* errors = args.screen.errors.row<float>(0);
  const std::int64_t n = args.y.cols;
  double squares = 0;
  for (std::int64_t j = 0; j < args.x.cols; ++j) {
    squares += static_cast<double>(x[j]) * static_cast<double>(x[j]);
  }
  const auto norm = static_cast<float>(std::sqrt(squares) * (1 + 1e-6));
  const float threshold = known_least(y, errors, norm, n, args.largest);
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const ScreenVector above =
        or_else(d, hn::MulAdd(load(d, errors + j, part), hn::Set(d, norm), load(d, y + j, part)),
                hn::Set(d, -INFINITY), part);
    if (HWY_LIKELY(hn::AllTrue(d, hn::Lt(above, hn::Set(d, threshold))))) {
      return;
    }
    for (std::int64_t r = j; r < std::min(n, j + kScreenLanes); ++r) {
      if (!(y[r] + errors[r] * norm < threshold)) {
        y[r] = exact_product(x, args.weights, r);
      }
    }
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(screen_panel);
HWY_EXPORT(guess_panels);
HWY_EXPORT(mend_row);

namespace {

void screen(const ScreenArgs& args, Exec& exec) {
  if (args.weights.dtype != DType::f32) {
    reference_kernels().screen.function()(args, exec);
    return;
  }
  const std::int64_t k = args.weights.cols;
  exec.pool->run(panel_count(args.weights), [&](std::int64_t p) {
    const Panel<float> panel = panel_of<float>(args.weights, p);
    thread_local cpu::Scratch<float> scratch;
    const float* whole = panel.data;
    if (panel.rows < kPanelRows) {
      whole = cpu::spread_panel(panel, k, scratch);
    }
    HWY_DYNAMIC_DISPATCH(screen_panel)
    (whole, k, panel.rows, args.screen.values.row<std::int8_t>(p),
     args.screen.scales.row<float>(0) + panel.first,
     args.screen.errors.row<float>(0) + panel.first);
  });
}

void screened_matmul(const ScreenedMatmulArgs& args, Exec& exec) {
  if (args.y.dtype != DType::f32) {
    reference_kernels().screened_matmul.function()(args, exec);
    return;
  }
  constexpr std::int64_t kGroup = 8;
  exec.pool->run_ranges(panel_count(args.weights), kGroup,
                        [&](std::int64_t begin, std::int64_t end) {
                          HWY_DYNAMIC_DISPATCH(guess_panels)(args, begin, end);
                        });
  exec.pool->run(args.y.rows, [&](std::int64_t row) { HWY_DYNAMIC_DISPATCH(mend_row)(args, row); });
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.screen = screen;
  table.screened_matmul = screened_matmul;
});

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
