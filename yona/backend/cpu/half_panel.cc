#include "yona/backend/cpu/half_panel.h"

#include <algorithm>
#include <array>

#include "yona/backend/cpu/scratch.h"
#include "yona/backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/half_panel.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yona::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using HalfFloats = hn::ScalableTag<float>;
using HalfVector = hn::Vec<HalfFloats>;
constexpr std::int64_t kHalfLanes = hn::MaxLanes(HalfFloats());

struct Bf16 {
  static HWY_INLINE HalfVector load(const std::uint16_t* from) {
    const hn::Rebind<std::uint16_t, HalfFloats> words;
    const hn::Rebind<std::uint32_t, HalfFloats> wide;
    const auto bits = hn::ShiftLeft<16>(hn::PromoteTo(wide, hn::LoadU(words, from)));
    return hn::BitCast(HalfFloats(), bits);
  }
};

struct F16 {
  static HWY_INLINE HalfVector load(const std::uint16_t* from) {
    const hn::Rebind<std::uint16_t, HalfFloats> words;
    const hn::Rebind<hwy::float16_t, HalfFloats> halves;
    return hn::PromoteTo(HalfFloats(), hn::BitCast(halves, hn::LoadU(words, from)));
  }
};

template <class Type>
void widen_elements(const std::uint16_t* from, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; i += kHalfLanes) {
    hn::StoreU(Type::load(from + i), HalfFloats(), to + i);
  }
}

// Sums of all the panels in registers, a row of each of them in turn.
template <class Type, std::int64_t kPanels>
HWY_NOINLINE void multiply_half_blocks(const PanelProduct& product, const std::uint16_t* panel) {
  const HalfFloats d;
  constexpr std::int64_t kVectors = kPanelRows / kHalfLanes;
  const std::int64_t k = product.k;
  HalfVector sums[kPanels][kVectors];
#pragma GCC unroll 4
  for (std::int64_t p = 0; p < kPanels; ++p) {
#pragma GCC unroll 8
    for (std::int64_t v = 0; v < kVectors; ++v) {
      sums[p][v] = hn::Zero(d);
    }
  }
  for (std::int64_t j = 0; j < k; ++j, panel += kPanelRows) {
    const HalfVector element = hn::Set(d, product.x[j]);
#pragma GCC unroll 4
    for (std::int64_t p = 0; p < kPanels; ++p) {
#pragma GCC unroll 8
      for (std::int64_t v = 0; v < kVectors; ++v) {
        const HalfVector weights = Type::load(panel + p * k * kPanelRows + v * kHalfLanes);
        sums[p][v] = hn::MulAdd(element, weights, sums[p][v]);
      }
    }
  }
  const HalfVector least = hn::Set(d, product.least);
#pragma GCC unroll 4
  for (std::int64_t p = 0; p < kPanels; ++p) {
#pragma GCC unroll 8
    for (std::int64_t v = 0; v < kVectors; ++v) {
      const std::int64_t at = p * kPanelRows + v * kHalfLanes;
      const HalfVector shift =
          product.bias != nullptr ? hn::LoadU(d, product.bias + at) : hn::Zero(d);
      hn::StoreU(hn::Max(least, hn::Add(sums[p][v], shift)), d, product.y + at);
    }
  }
}

// Only AVX-512 has registers for more than one panel.
template <class Type>
void multiply_half_rows(PanelProduct part, const std::uint16_t* panel, std::int64_t panels) {
  constexpr std::int64_t kMost = kHalfLanes == 16 ? 4 : 1;
  while (panels > 0) {
    const std::int64_t count = std::min(panels, kMost);
    if constexpr (kMost == 4) {
      constexpr std::array<void (*)(const PanelProduct&, const std::uint16_t*), kMost> kMultiply = {
          multiply_half_blocks<Type, 1>, multiply_half_blocks<Type, 2>,
          multiply_half_blocks<Type, 3>, multiply_half_blocks<Type, 4>};
      kMultiply[static_cast<std::size_t>(count - 1)](part, panel);
    } else {
      multiply_half_blocks<Type, 1>(part, panel);
    }
    panel += count * part.k * kPanelRows;
    part = after_panels(part, count);
    panels -= count;
  }
}

void widen_halves(const std::uint16_t* from, DType type, std::int64_t count, float* to) {
  type == DType::bf16 ? widen_elements<Bf16>(from, count, to)
                      : widen_elements<F16>(from, count, to);
}

void multiply_one_row(const PanelProduct& product, const std::uint16_t* panel, DType type,
                      std::int64_t panels) {
  type == DType::bf16 ? multiply_half_rows<Bf16>(product, panel, panels)
                      : multiply_half_rows<F16>(product, panel, panels);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona::cpu {

HWY_EXPORT(widen_halves);
HWY_EXPORT(multiply_one_row);

void widen_panel(const std::uint16_t* from, DType type, std::int64_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(widen_halves)(from, type, count, to);
}

void multiply_half_row(const PanelProduct& product, const std::uint16_t* panel, DType type,
                       std::int64_t panels) {
  HWY_DYNAMIC_DISPATCH(multiply_one_row)(product, panel, type, panels);
}

// In pieces that stay in the second-level cache. Sums go on where they were.
void multiply_half_panel(const PanelProduct& product, const std::uint16_t* panel, DType type,
                         std::int64_t columns) {
  constexpr std::int64_t kPiece = 512;
  thread_local Scratch<float> scratch;
  float* wide = scratch.get(static_cast<std::size_t>(std::min(kPiece, product.k) * kPanelRows));
  for (std::int64_t k = 0; k == 0 || k < product.k; k += kPiece) {
    PanelProduct piece = product;
    piece.x += k;
    piece.k = std::min(kPiece, product.k - k);
    widen_panel(panel + k * kPanelRows, type, piece.k * kPanelRows, wide);
    piece.panel = wide;
    piece.last = true;
    piece.starts = k == 0;
    piece.ends = k + piece.k == product.k;
    multiply_panel(piece, columns);
  }
}

}  // namespace yona::cpu
#endif  // HWY_ONCE
