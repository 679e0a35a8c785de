#include "yona/backend/cpu/sparse_product.h"

#include <algorithm>
#include <array>

#include "yona/backend/cpu/scratch.h"
#include "yona/backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/sparse_product.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yona::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using SparseTag = hn::ScalableTag<float>;
using SparseVector = hn::Vec<SparseTag>;
constexpr std::int64_t kSparseLanes = hn::MaxLanes(SparseTag());
// Vectors of a panel's row whose sums are in registers; only AVX-512 has room for more panels.
constexpr std::int64_t kSparseVectors = std::min<std::int64_t>(kPanelRows / kSparseLanes, 8);
constexpr bool kSparseWide = kSparseLanes == 16;

// Writes at most `most` places and gives how many there are; more than `most` where it stopped.
std::int64_t list_places(const PanelProduct& product, std::int64_t most, std::int32_t* places) {
  const SparseTag d;
  std::int64_t count = 0;
  for (std::int64_t j = 0; j < product.k && count <= most; j += kSparseLanes) {
    const std::int64_t lanes = std::min(kSparseLanes, product.k - j);
    std::array<bool, kSparseLanes> used{};
    bool any = false;
    for (std::int64_t i = 0; i < product.rows; ++i) {
      const float* x = product.x + i * product.x_stride + j;
      if (lanes == kSparseLanes && hn::AllTrue(d, hn::Eq(hn::LoadU(d, x), hn::Zero(d)))) {
        continue;
      }
      any = true;
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        used[static_cast<std::size_t>(lane)] |= !(x[lane] == 0);  // NaN counts too
      }
    }
    for (std::int64_t lane = 0; any && lane < lanes; ++lane) {
      if (used[static_cast<std::size_t>(lane)]) {
        if (count < most) {
          places[count] = static_cast<std::int32_t>(j + lane);
        }
        ++count;
      }
    }
  }
  return count;
}

// Sums of kRows rows and kPanels panels in registers. What the next places need is fetched ahead:
// memory that is skipped through is not foreseen by the CPU.
template <std::int64_t kRows, std::int64_t kPanels>
HWY_INLINE void multiply_panels(const PanelProduct& product, std::span<const std::int32_t> places) {
  const SparseTag d;
  constexpr std::int64_t kSums = kPanels * kSparseVectors;
  constexpr std::size_t kDistance = 16 / kPanels;  // places
  const std::int64_t panel_size = product.k * kPanelRows;
  for (std::int64_t column = 0; column < kPanelRows; column += kSparseVectors * kSparseLanes) {
    SparseVector sums[kRows][kSums];
#pragma GCC unroll 4
    for (std::int64_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
      for (std::int64_t s = 0; s < kSums; ++s) {
        sums[i][s] = hn::Zero(d);
      }
    }
    const float* HWY_RESTRICT panel = product.panel + column;
    for (std::size_t n = 0; n < places.size(); ++n) {
      const float* ahead = panel + places[std::min(n + kDistance, places.size() - 1)] * kPanelRows;
#pragma GCC unroll 4
      for (std::int64_t p = 0; p < kPanels; ++p) {
#pragma GCC unroll 8
        for (std::int64_t v = 0; v < kSparseVectors; ++v) {
          __builtin_prefetch(ahead + p * panel_size + v * kSparseLanes, 0, 3);
        }
      }
      const float* at = panel + places[n] * kPanelRows;
      const float* x = product.x + places[n];
#pragma GCC unroll 16
      for (std::int64_t s = 0; s < kSums; ++s) {
        const SparseVector w =
            hn::LoadU(d, at + s / kSparseVectors * panel_size + s % kSparseVectors * kSparseLanes);
#pragma GCC unroll 4
        for (std::int64_t i = 0; i < kRows; ++i) {
          sums[i][s] = hn::MulAdd(hn::Set(d, x[i * product.x_stride]), w, sums[i][s]);
        }
      }
    }
    const SparseVector least = hn::Set(d, product.least);
#pragma GCC unroll 4
    for (std::int64_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
      for (std::int64_t s = 0; s < kSums; ++s) {
        const std::int64_t to =
            s / kSparseVectors * kPanelRows + column + s % kSparseVectors * kSparseLanes;
        const SparseVector shift =
            product.bias != nullptr ? hn::LoadU(d, product.bias + to) : hn::Zero(d);
        hn::StoreU(hn::Max(least, hn::Add(sums[i][s], shift)), d,
                   product.y + i * product.y_stride + to);
      }
    }
  }
}

// One row takes several panels at once, which are read side by side.
template <std::int64_t kRows>
HWY_NOINLINE void multiply_sparse_rows(const PanelProduct& product, std::int64_t panels,
                                       std::span<const std::int32_t> places) {
  constexpr std::int64_t kAtOnce = kSparseWide && kRows <= 2 ? 4 / kRows : 1;
  PanelProduct part = product;
  for (; panels >= kAtOnce; panels -= kAtOnce) {
    multiply_panels<kRows, kAtOnce>(part, places);
    part = after_panels(part, kAtOnce);
  }
  for (; panels > 0; --panels) {
    multiply_panels<kRows, 1>(part, places);
    part = after_panels(part, 1);
  }
}

void multiply_at_places(const PanelProduct& product, std::int64_t panels,
                        std::span<const std::int32_t> places) {
  constexpr std::array<void (*)(const PanelProduct&, std::int64_t, std::span<const std::int32_t>),
                       kMostSparseRows>
      kMultiply = {multiply_sparse_rows<1>, multiply_sparse_rows<2>, multiply_sparse_rows<3>,
                   multiply_sparse_rows<4>};
  kMultiply[static_cast<std::size_t>(product.rows - 1)](product, panels, places);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona::cpu {

HWY_EXPORT(list_places);
HWY_EXPORT(multiply_at_places);

std::span<const std::int32_t> find_places(const PanelProduct& product) {
  thread_local Scratch<std::int32_t> scratch;
  const std::int64_t most = product.k / 2;
  std::int32_t* places = scratch.get(static_cast<std::size_t>(most));
  const std::int64_t count = HWY_DYNAMIC_DISPATCH(list_places)(product, most, places);
  return {places, static_cast<std::size_t>(count <= most ? count : 0)};
}

void multiply_places(const PanelProduct& product, std::int64_t panels,
                     std::span<const std::int32_t> places) {
  HWY_DYNAMIC_DISPATCH(multiply_at_places)(product, panels, places);
}

}  // namespace yona::cpu
#endif  // HWY_ONCE
