// See int8_product.h. Without VNNI: bytes are widened to 16-bit words, whose products are added in
// pairs; nothing can overflow, so that every instruction set gives the same integers.

#include "yona/backend/cpu/int8_product.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "yona/backend/cpu/scratch.h"
#include "yona/backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/int8_product.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yona::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::ScalableTag<std::int16_t>;
using Sums = hn::Repartition<std::int32_t, Words>;
using Floats = hn::Repartition<float, Words>;
constexpr std::int64_t kWordLanes = hn::MaxLanes(Words());
constexpr std::int64_t kSumLanes = hn::MaxLanes(Sums());
constexpr std::int64_t kGroup = kPanelRows * kInt8Group;  // bytes

// Rows of x and vectors of words at once; a vector holds kWordLanes / 4 rows of the panel.
constexpr std::int64_t kMostRows = 2;
constexpr std::int64_t kVectors = 4;
static_assert(kGroup % (kVectors * kWordLanes) == 0);

// Four elements of x beside each other, again and again.
HWY_INLINE hn::Vec<Words> four_of(const std::uint8_t* x) {
  const hn::Rebind<std::uint8_t, Words> bytes;
  const hn::Repartition<std::int32_t, decltype(bytes)> fours;
  std::int32_t four = 0;
  std::memcpy(&four, x, sizeof(four));
  return hn::PromoteTo(Words(), hn::BitCast(bytes, hn::Set(fours, four)));
}

// Sums of kVectors vectors from byte `at` of every group: two lanes for each row of the panel, to
// be added.
template <std::int64_t kRows>
HWY_INLINE void add_up(const Int8Product& product, std::int64_t row, std::int64_t at,
                       std::int32_t* HWY_RESTRICT to) {
  const Words words;
  const Sums integers;
  const hn::Rebind<std::int8_t, Words> bytes;
  hn::Vec<Sums> sums[kRows][kVectors];
  for (auto& of_row : sums) {
    for (auto& sum : of_row) {
      sum = hn::Zero(integers);
    }
  }
  auto unused = hn::Zero(integers);
  const std::uint8_t* x = product.x + row * product.x_stride;
  const std::int8_t* panel = product.panel + at;
  for (std::int64_t g = 0; g < product.groups; ++g, x += kInt8Group, panel += kGroup) {
    hn::Vec<Words> four[kRows];
    for (std::int64_t i = 0; i < kRows; ++i) {
      four[i] = four_of(x + i * product.x_stride);
    }
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < kVectors; ++v) {
      const auto weights = hn::PromoteTo(words, hn::LoadU(bytes, panel + v * kWordLanes));
#pragma GCC unroll 2
      for (std::int64_t i = 0; i < kRows; ++i) {
        sums[i][v] = hn::ReorderWidenMulAccumulate(integers, four[i], weights, sums[i][v], unused);
      }
    }
  }
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[i][v], integers, to + i * 2 * kPanelRows + at / 2 + v * kSumLanes);
    }
  }
}

// One row of y from pairs of sums.
HWY_INLINE void finish(const Int8Product& product, const std::int32_t* pairs, std::int64_t row) {
  const Floats d;
  const Sums integers;
  std::array<std::int32_t, kPanelRows> totals;
  for (std::int64_t r = 0; r < kPanelRows; ++r) {
    totals[static_cast<std::size_t>(r)] =
        pairs[2 * r] + pairs[2 * r + 1] - kInt8Offset * product.sums[r];
  }
  float* y = product.y + row * product.y_stride;
  for (std::int64_t c = 0; c < kPanelRows; c += kSumLanes) {
    const auto total = hn::ConvertTo(d, hn::LoadU(integers, totals.data() + c));
    const auto scale = hn::Mul(hn::Set(d, product.x_scales[row]), hn::LoadU(d, product.scales + c));
    const auto bias = product.bias != nullptr ? hn::LoadU(d, product.bias + c) : hn::Zero(d);
    const auto value = hn::MulAdd(total, scale, bias);
    // Max gives its second operand where that is NaN
    hn::StoreU(hn::Max(hn::Set(d, product.least), value), d, y + c);
  }
}

template <std::int64_t kRows>
HWY_INLINE void multiply_rows(const Int8Product& product, std::int64_t row) {
  std::array<std::int32_t, kRows * 2 * kPanelRows> pairs;
  for (std::int64_t at = 0; at < kGroup; at += kVectors * kWordLanes) {
    add_up<kRows>(product, row, at, pairs.data());
  }
  for (std::int64_t i = 0; i < kRows; ++i) {
    finish(product, pairs.data() + i * 2 * kPanelRows, row + i);
  }
}

void multiply_by_words(const Int8Product& product) {
  std::int64_t row = 0;
  for (; row + kMostRows <= product.rows; row += kMostRows) {
    multiply_rows<kMostRows>(product, row);
  }
  for (; row < product.rows; ++row) {
    multiply_rows<1>(product, row);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona::cpu {

HWY_EXPORT(multiply_by_words);

namespace {

void multiply_whole(const Int8Product& product) {
  if (cpu_has_vnni()) {
    multiply_by_vnni(product);
  } else {
    HWY_DYNAMIC_DISPATCH(multiply_by_words)(product);
  }
}

// Through memory of our own, as wide as the kernel wants it.
void multiply_narrow(const Int8Product& product, std::int64_t columns) {
  constexpr std::int64_t kRowsAtOnce = 48;
  std::array<float, kRowsAtOnce * kPanelRows> wide;
  std::array<float, kPanelRows> bias{};
  if (product.bias != nullptr) {
    std::copy_n(product.bias, columns, bias.begin());
  }
  Int8Product part = product;
  part.y = wide.data();
  part.y_stride = kPanelRows;
  part.bias = product.bias != nullptr ? bias.data() : nullptr;
  for (std::int64_t row = 0; row < product.rows; row += kRowsAtOnce) {
    part.rows = std::min(kRowsAtOnce, product.rows - row);
    part.x = product.x + row * product.x_stride;
    part.x_scales = product.x_scales + row;
    multiply_whole(part);
    for (std::int64_t i = 0; i < part.rows; ++i) {
      std::copy_n(part.y + i * kPanelRows, columns, product.y + (row + i) * product.y_stride);
    }
  }
}

}  // namespace

void multiply_int8_panel(const Int8Product& product, std::int64_t columns) {
  if (columns < kPanelRows) {
    multiply_narrow(product, columns);
  } else {
    multiply_whole(product);
  }
}

void multiply_int8_row(const Int8Product& product, std::int64_t panels) {
  Int8Product part = product;
  for (std::int64_t panel = 0; panel < panels; ++panel) {
    part.last = product.last && panel + 1 == panels;
    multiply_whole(part);
    part = after_panels(part, 1);
  }
}

std::span<const std::int32_t> find_int8_groups(const Int8Product& product) {
  if (product.rows > kMostSparseInt8Rows || !cpu_has_vnni()) {
    return {};
  }
  thread_local Scratch<std::int32_t> scratch;
  const std::int64_t most = product.groups * 5 / 8;
  std::int32_t* groups = scratch.get(static_cast<std::size_t>(most) + 1);
  constexpr std::uint32_t kOffsets = 0x80808080;  // four zeros
  std::int64_t count = 0;
  for (std::int64_t group = 0; group < product.groups && count <= most; ++group) {
    std::uint32_t values = 0;
    std::uint32_t signs = kOffsets;
    for (std::int64_t i = 0; i < product.rows; ++i) {
      std::uint32_t four = 0;
      std::memcpy(&four, product.x + i * product.x_stride + group * kInt8Group, sizeof(four));
      values |= four ^ kOffsets;
      signs &= four;
    }
    if (signs != kOffsets) {
      return {};
    }
    groups[count] = static_cast<std::int32_t>(group);
    count += values != 0 ? 1 : 0;
  }
  return {groups, static_cast<std::size_t>(count <= most ? count : 0)};
}

}  // namespace yona::cpu
#endif  // HWY_ONCE
