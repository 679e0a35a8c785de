// See int8_product.h. Without VNNI: bytes are widened to 16-bit words, whose products are added in
// pairs; nothing can overflow, so that every instruction set gives the same integers.

#include "yona/backend/cpu/int8_product.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <hwy/cache_control.h>

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
constexpr std::int64_t kBlock = 32;                       // groups: 8 kB

// Four elements of x, repeated over the whole vector.
HWY_INLINE hn::Vec<Words> four_of(const std::int16_t* x) {
  const hn::Repartition<std::int64_t, Words> fours;
  std::int64_t four = 0;
  std::memcpy(&four, x, sizeof(four));
  return hn::BitCast(Words(), hn::Set(fours, four));
}

// Rows of x as words, `stride` apart: widened once, read for every column.
struct WideRows {
  const std::int16_t* x = nullptr;
  std::int64_t stride = 0;
};

WideRows widened(const Int8Product& product, std::int16_t* to) {
  const Words words;
  const hn::Rebind<std::uint8_t, Words> bytes;
  const std::int64_t length = product.groups * kInt8Group;
  for (std::int64_t i = 0; i < product.rows; ++i) {
    const std::uint8_t* x = product.x + i * product.x_stride;
    std::int16_t* row = to + i * length;
    std::int64_t j = 0;
    for (; j + kWordLanes <= length; j += kWordLanes) {
      hn::StoreU(hn::PromoteTo(words, hn::LoadU(bytes, x + j)), words, row + j);
    }
    for (; j < length; ++j) {
      row[j] = x[j];
    }
  }
  return {to, length};
}

// sums += the products of kRows rows with kVectors vectors of each of `groups` groups of weights;
// a vector holds kWordLanes / 4 rows of the panel, with two lanes for each, to be added.
template <std::int64_t kRows, std::int64_t kVectors, bool kFetches>
HWY_INLINE void add_up(const std::int16_t* x, std::int64_t stride, const std::int8_t* panel,
                       std::int64_t groups, std::int32_t* HWY_RESTRICT to, std::int64_t to_stride) {
  const Words words;
  const Sums integers;
  const hn::Rebind<std::int8_t, Words> bytes;
  hn::Vec<Sums> sums[kRows][kVectors];
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t v = 0; v < kVectors; ++v) {
      sums[i][v] = hn::LoadU(integers, to + i * to_stride + v * kSumLanes);
    }
  }
  auto unused = hn::Zero(integers);
  for (std::int64_t g = 0; g < groups; ++g, x += kInt8Group, panel += kGroup) {
    if constexpr (kFetches) {
      hwy::Prefetch(panel + kBlock * kGroup);
    }
    hn::Vec<Words> weights[kVectors];
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < kVectors; ++v) {
      weights[v] = hn::PromoteTo(words, hn::LoadU(bytes, panel + v * kWordLanes));
    }
#pragma GCC unroll 4
    for (std::int64_t i = 0; i < kRows; ++i) {
      const auto four = four_of(x + i * stride);
#pragma GCC unroll 4
      for (std::int64_t v = 0; v < kVectors; ++v) {
        sums[i][v] = hn::ReorderWidenMulAccumulate(integers, four, weights[v], sums[i][v], unused);
      }
    }
  }
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[i][v], integers, to + i * to_stride + v * kSumLanes);
    }
  }
}

// Columns from `begin` on of one row of y, from pairs of sums.
HWY_INLINE void finish(const Int8Product& product, const std::int32_t* pairs, std::int64_t row,
                       std::int64_t begin, std::int64_t columns) {
  const Floats d;
  const Sums integers;
  std::array<std::int32_t, kPanelRows> totals;
  for (std::int64_t c = 0; c < columns; ++c) {
    totals[static_cast<std::size_t>(c)] =
        pairs[2 * c] + pairs[2 * c + 1] - kInt8Offset * product.sums[begin + c];
  }
  float* y = product.y + row * product.y_stride + begin;
  const float* scales = product.scales + begin;
  for (std::int64_t c = 0; c < columns; c += kSumLanes) {
    const auto total = hn::ConvertTo(d, hn::LoadU(integers, totals.data() + c));
    const auto scale = hn::Mul(hn::Set(d, product.x_scales[row]), hn::LoadU(d, scales + c));
    const auto bias =
        product.bias != nullptr ? hn::LoadU(d, product.bias + begin + c) : hn::Zero(d);
    const auto value = hn::MulAdd(total, scale, bias);
    // Max gives its second operand where that is NaN
    hn::StoreU(hn::Max(hn::Set(d, product.least), value), d, y + c);
  }
}

// One row: weights are read once, front to back, a block of groups after another.
void multiply_one(const Int8Product& product, const WideRows& rows) {
  constexpr std::int64_t kVectors = 4;
  constexpr std::int64_t kStrip = kVectors * kWordLanes;  // bytes of a group
  static_assert(kGroup % kStrip == 0);
  std::array<std::int32_t, 2 * kPanelRows> pairs{};
  for (std::int64_t g = 0; g < product.groups; g += kBlock) {
    const std::int64_t groups = std::min(kBlock, product.groups - g);
    for (std::int64_t at = 0; at < kGroup; at += kStrip) {
      add_up<1, kVectors, true>(rows.x + g * kInt8Group, 0, product.panel + g * kGroup + at, groups,
                                pairs.data() + at / 2, 0);
    }
  }
  finish(product, pairs.data(), 0, 0, kPanelRows);
}

template <std::int64_t kRows, std::int64_t kVectors>
HWY_INLINE void multiply_strip(const Int8Product& product, const WideRows& rows, std::int64_t row,
                               std::int64_t at) {
  constexpr std::int64_t kColumns = kVectors * kWordLanes / kInt8Group;
  std::array<std::int32_t, kRows * 2 * kColumns> pairs{};
  add_up<kRows, kVectors, false>(rows.x + row * rows.stride, rows.stride, product.panel + at,
                                 product.groups, pairs.data(), 2 * kColumns);
  for (std::int64_t i = 0; i < kRows; ++i) {
    finish(product, pairs.data() + i * 2 * kColumns, row + i, at / kInt8Group, kColumns);
  }
}

// Several: a strip of the panel stays in the first-level cache for all of them.
void multiply_several(const Int8Product& product, const WideRows& rows) {
  constexpr std::int64_t kMostRows = 4;
  constexpr std::int64_t kVectors = 2;
  for (std::int64_t at = 0; at < kGroup; at += kVectors * kWordLanes) {
    std::int64_t row = 0;
    for (; row + kMostRows <= product.rows; row += kMostRows) {
      multiply_strip<kMostRows, kVectors>(product, rows, row, at);
    }
    for (; row < product.rows; ++row) {
      multiply_strip<1, kVectors>(product, rows, row, at);
    }
  }
}

// `wide` has room for the rows of x as words.
void multiply_by_words(const Int8Product& product, std::int16_t* wide) {
  const WideRows rows = widened(product, wide);
  if (product.rows == 1) {
    multiply_one(product, rows);
  } else {
    multiply_several(product, rows);
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
    thread_local Scratch<std::int16_t> scratch;
    const std::int64_t words = product.rows * product.groups * kInt8Group;
    HWY_DYNAMIC_DISPATCH(multiply_by_words)(product, scratch.get(static_cast<std::size_t>(words)));
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
