// Products of bytes by AVX-512 VNNI: 6 rows × 64 columns of sums in registers, one instruction for
// 64 products. Highway 1.0.3 does not know it, so these are intrinsics.

#include <algorithm>
#include <array>
#include <cstring>
// GCC 12 takes what its own intrinsics leave undefined for a mistake (bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop

#include "yona/backend/cpu/features.h"
#include "yona/backend/cpu/int8_product.h"
#include "yona/backend/cpu/matmul_plan.h"

#define YONA_VNNI_TARGET [[gnu::target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]]
#define YONA_VNNI_INLINE YONA_VNNI_TARGET [[gnu::always_inline]] inline

namespace yona::cpu {

namespace {

constexpr std::int64_t kMostRows = 6;
constexpr std::int64_t kVectors = 4;  // of a panel's 64 rows
constexpr std::int64_t kLine = 64;    // bytes: a vector, and a line of the cache
constexpr std::int64_t kGroupBytes = kVectors * kLine;

// Few rows read a panel only once. They read it as this many streams: memory is faster with several
// streams than with one (at 4 rows, 16 GB/s with 8 streams and 11 with one; bench/ops).
constexpr std::int64_t kStreams = 8;
constexpr std::int64_t kDistance = 4;  // groups: how far ahead of a stream is fetched

// Fetches the next panel into the second-level cache while many rows, in several passes, are
// multiplied with this one.
class FetchAhead {
 public:
  FetchAhead(const Int8Product& product, std::int64_t passes)
      : at_(product.panel + product.groups * kGroupBytes),
        end_(product.last ? at_ : at_ + product.groups * kGroupBytes),
        lines_(divide_up(kVectors, passes)),
        wait_(std::max<std::int64_t>(1, passes / kVectors)) {}

  // To be called for every group.
  YONA_VNNI_INLINE void step() {
    if (at_ < end_ && --countdown_ <= 0) {
      for (std::int64_t line = 0; line < lines_; ++line, at_ += kLine) {
        _mm_prefetch(at_, _MM_HINT_T1);
      }
      countdown_ = wait_;
    }
  }

 private:
  const std::int8_t* at_;
  const std::int8_t* end_;
  std::int64_t lines_;  // at a time
  std::int64_t wait_;   // groups between
  std::int64_t countdown_ = 0;
};

YONA_VNNI_INLINE __m512i four_of(const std::uint8_t* x) {
  std::int32_t four = 0;
  std::memcpy(&four, x, sizeof(four));
  return _mm512_set1_epi32(four);
}

// sum += four · weights. GCC 12 copies the sum around its intrinsic, and then has no register left.
YONA_VNNI_INLINE void add_products(__m512i& sum, __m512i four, __m512i weights) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(four), "v"(weights));
}

// Where sums begin: less what the offset of x will add to them.
YONA_VNNI_INLINE __m512i first_sum(const std::int32_t* sums) {
  return _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_slli_epi32(_mm512_loadu_si512(sums), 7));
}
static_assert(kInt8Offset == 1 << 7);

// One vector of y from its sums.
YONA_VNNI_INLINE void finish(const Int8Product& product, __m512i sum, float x_scale,
                             std::int64_t column, float* y) {
  const __m512 scale =
      _mm512_mul_ps(_mm512_set1_ps(x_scale), _mm512_loadu_ps(product.scales + column));
  const __m512 bias =
      product.bias != nullptr ? _mm512_loadu_ps(product.bias + column) : _mm512_setzero_ps();
  const __m512 value = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), scale, bias);
  // maxps gives its second operand where that is NaN
  _mm512_storeu_ps(y + column, _mm512_max_ps(_mm512_set1_ps(product.least), value));
}

template <std::int64_t kRows>
using RowSums = __m512i[kRows][kVectors];

template <std::int64_t kRows>
YONA_VNNI_INLINE void start(const Int8Product& product, RowSums<kRows>& sums) {
#pragma GCC unroll 4
  for (std::int64_t v = 0; v < kVectors; ++v) {
    const __m512i first = first_sum(product.sums + v * kLine / 4);
#pragma GCC unroll 6
    for (std::int64_t i = 0; i < kRows; ++i) {
      sums[i][v] = first;
    }
  }
}

// One group of the panel with as many elements of each row.
template <std::int64_t kRows>
YONA_VNNI_INLINE void add_group(const std::int8_t* panel, const std::uint8_t* x,
                                std::int64_t x_stride, RowSums<kRows>& sums) {
  __m512i weights[kVectors];
#pragma GCC unroll 4
  for (std::int64_t v = 0; v < kVectors; ++v) {
    weights[v] = _mm512_loadu_si512(panel + v * kLine);
  }
#pragma GCC unroll 6
  for (std::int64_t i = 0; i < kRows; ++i) {
    const __m512i four = four_of(x + i * x_stride);
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < kVectors; ++v) {
      add_products(sums[i][v], four, weights[v]);
    }
  }
}

template <std::int64_t kRows>
YONA_VNNI_INLINE void finish_rows(const Int8Product& product, std::int64_t row,
                                  RowSums<kRows>& sums) {
#pragma GCC unroll 6
  for (std::int64_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < kVectors; ++v) {
      finish(product, sums[i][v], product.x_scales[row + i], v * kLine / 4,
             product.y + (row + i) * product.y_stride);
    }
  }
}

// Some of many rows.
template <std::int64_t kRows>
YONA_VNNI_TARGET void multiply_rows(const Int8Product& product, std::int64_t row,
                                    FetchAhead& ahead) {
  RowSums<kRows> sums;
  start<kRows>(product, sums);
  const std::uint8_t* x = product.x + row * product.x_stride;
  const std::int8_t* panel = product.panel;
  for (std::int64_t group = product.groups; group > 0; --group) {
    ahead.step();
    add_group<kRows>(panel, x, product.x_stride, sums);
    x += kInt8Group;
    panel += kGroupBytes;
  }
  finish_rows<kRows>(product, row, sums);
}

// All rows, which are few: a group of each stream in turn. At the streams' ends the beginnings of
// the next panel's are fetched.
template <std::int64_t kRows>
YONA_VNNI_TARGET void multiply_few_rows(const Int8Product& product) {
  RowSums<kRows> sums;
  start<kRows>(product, sums);
  const std::int64_t length = product.groups / kStreams;  // of a stream, in groups
  for (std::int64_t g = 0; g < length; ++g) {
    const std::int64_t next = g + kDistance;
    const std::int64_t fetched = next < length || product.last
                                     ? std::min(next, length - 1)
                                     : product.groups + std::min(next - length, length - 1);
#pragma GCC unroll 8
    for (std::int64_t stream = 0; stream < kStreams; ++stream) {
      const std::int64_t at = stream * length;
      const std::int8_t* ahead = product.panel + (at + fetched) * kGroupBytes;
#pragma GCC unroll 4
      for (std::int64_t line = 0; line < kVectors; ++line) {
        _mm_prefetch(ahead + line * kLine, _MM_HINT_T0);
      }
      add_group<kRows>(product.panel + (at + g) * kGroupBytes, product.x + (at + g) * kInt8Group,
                       product.x_stride, sums);
    }
  }
  for (std::int64_t g = length * kStreams; g < product.groups; ++g) {
    add_group<kRows>(product.panel + g * kGroupBytes, product.x + g * kInt8Group, product.x_stride,
                     sums);
  }
  finish_rows<kRows>(product, 0, sums);
}

// Some groups of kPanels panels, with sums that begin at zero: x, which is nowhere negative, goes
// in without its offset. What the next groups need is fetched ahead: memory that is skipped through
// is not foreseen by the CPU.
template <std::int64_t kRows, std::int64_t kPanels>
YONA_VNNI_INLINE void multiply_listed(const Int8Product& product,
                                      std::span<const std::int32_t> groups) {
  constexpr std::size_t kAhead = 16 / kPanels;
  const std::int64_t panel_size = product.groups * kGroupBytes;
  RowSums<kRows * kPanels> sums;  // a row's panels beside each other
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < kRows * kPanels; ++i) {
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < kVectors; ++v) {
      sums[i][v] = _mm512_setzero_si512();
    }
  }
  const __m512i offset = _mm512_set1_epi8(static_cast<char>(kInt8Offset));
  for (std::size_t n = 0; n < groups.size(); ++n) {
    const std::int8_t* ahead =
        product.panel + groups[std::min(n + kAhead, groups.size() - 1)] * kGroupBytes;
    const std::int8_t* at = product.panel + groups[n] * kGroupBytes;
    __m512i four[kRows];
#pragma GCC unroll 4
    for (std::int64_t i = 0; i < kRows; ++i) {
      four[i] = _mm512_xor_si512(four_of(product.x + i * product.x_stride + groups[n] * kInt8Group),
                                 offset);
    }
#pragma GCC unroll 4
    for (std::int64_t p = 0; p < kPanels; ++p) {
#pragma GCC unroll 4
      for (std::int64_t v = 0; v < kVectors; ++v) {
        _mm_prefetch(ahead + p * panel_size + v * kLine, _MM_HINT_T0);
        const __m512i weights = _mm512_loadu_si512(at + p * panel_size + v * kLine);
#pragma GCC unroll 4
        for (std::int64_t i = 0; i < kRows; ++i) {
          add_products(sums[i * kPanels + p][v], four[i], weights);
        }
      }
    }
  }
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
    for (std::int64_t s = 0; s < kPanels * kVectors; ++s) {
      finish(product, sums[i * kPanels + s / kVectors][s % kVectors], product.x_scales[i],
             s * kLine / 4, product.y + i * product.y_stride);
    }
  }
}

// One row takes four panels at once, two rows two: sixteen sums.
template <std::int64_t kRows>
YONA_VNNI_TARGET void multiply_listed_rows(const Int8Product& product, std::int64_t panels,
                                           std::span<const std::int32_t> groups) {
  constexpr std::int64_t kAtOnce = kRows <= 2 ? 4 / kRows : 1;
  Int8Product part = product;
  for (; panels >= kAtOnce; panels -= kAtOnce) {
    multiply_listed<kRows, kAtOnce>(part, groups);
    part = after_panels(part, kAtOnce);
  }
  for (; panels > 0; --panels) {
    multiply_listed<kRows, 1>(part, groups);
    part = after_panels(part, 1);
  }
}

}  // namespace

bool cpu_has_vnni() {
  static const bool has = __builtin_cpu_supports("avx512vnni") != 0;
  return has && current_isa() == Isa::avx512;
}

// Blocks of many rows are cut evenly: a last block of few would wait for its sums.
void multiply_by_vnni(const Int8Product& product) {
  constexpr std::array<void (*)(const Int8Product&), kMostRows> kMultiplyFew = {
      multiply_few_rows<1>, multiply_few_rows<2>, multiply_few_rows<3>,
      multiply_few_rows<4>, multiply_few_rows<5>, multiply_few_rows<6>};
  constexpr std::array<void (*)(const Int8Product&, std::int64_t, FetchAhead&), kMostRows>
      kMultiply = {multiply_rows<1>, multiply_rows<2>, multiply_rows<3>,
                   multiply_rows<4>, multiply_rows<5>, multiply_rows<6>};
  const std::int64_t blocks = divide_up(product.rows, kMostRows);
  if (blocks == 1) {
    kMultiplyFew[static_cast<std::size_t>(product.rows - 1)](product);
    return;
  }
  const std::int64_t height = product.rows / blocks;
  const std::int64_t taller = product.rows % blocks;  // this many blocks have one row more
  FetchAhead ahead(product, blocks);
  std::int64_t row = 0;
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::int64_t rows = height + (block < taller ? 1 : 0);
    kMultiply[static_cast<std::size_t>(rows - 1)](product, row, ahead);
    row += rows;
  }
}

void multiply_int8_groups(const Int8Product& product, std::int64_t panels,
                          std::span<const std::int32_t> groups) {
  constexpr std::array<void (*)(const Int8Product&, std::int64_t, std::span<const std::int32_t>),
                       kMostSparseInt8Rows>
      kMultiply = {multiply_listed_rows<1>, multiply_listed_rows<2>, multiply_listed_rows<3>,
                   multiply_listed_rows<4>};
  kMultiply[static_cast<std::size_t>(product.rows - 1)](product, panels, groups);
}

}  // namespace yona::cpu
