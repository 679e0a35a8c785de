// Products of bytes by AVX-512 VNNI: 6 rows × 64 columns of sums in registers, one instruction for
// 64 products. Highway 1.0.3 does not know it, so these are intrinsics.

#include <algorithm>
#include <array>
#include <cstring>
// GCC 12 takes what its own intrinsics leave undefined for a mistake (bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
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

// Fetches what comes next while a panel is multiplied with: with few rows, which read it once, the
// panel itself, a little ahead; with many, the one after it, into the second-level cache.
class FetchAhead {
 public:
  FetchAhead(const Int8Product& product, std::int64_t passes)
      : once_(passes == 1),
        at_(product.panel + (once_ ? kDistance : product.groups * kGroupBytes)),
        end_(product.panel + (product.last ? 1 : 2) * product.groups * kGroupBytes),
        lines_(divide_up(kVectors, passes)),
        wait_(std::max<std::int64_t>(1, passes / kVectors)) {}

  // To be called for every group.
  YONA_VNNI_INLINE void step() {
    if (at_ >= end_) {
      return;
    }
    if (once_) {
      for (std::int64_t line = 0; line < kVectors; ++line) {
        _mm_prefetch(at_ + line * kLine, _MM_HINT_T0);
      }
      at_ += kGroupBytes;
    } else if (--countdown_ <= 0) {
      for (std::int64_t line = 0; line < lines_; ++line, at_ += kLine) {
        _mm_prefetch(at_, _MM_HINT_T1);
      }
      countdown_ = wait_;
    }
  }

 private:
  static constexpr std::int64_t kDistance = 8 * kGroupBytes;

  bool once_;
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
YONA_VNNI_TARGET void multiply_rows(const Int8Product& product, std::int64_t row,
                                    FetchAhead& ahead) {
  const std::uint8_t* x = product.x + row * product.x_stride;
  const std::int64_t x_stride = product.x_stride;
  const std::int8_t* panel = product.panel;
  __m512i sums[kRows][kVectors];
#pragma GCC unroll 4
  for (std::int64_t v = 0; v < kVectors; ++v) {
    const __m512i first = first_sum(product.sums + v * kLine / 4);
#pragma GCC unroll 6
    for (std::int64_t i = 0; i < kRows; ++i) {
      sums[i][v] = first;
    }
  }
  for (std::int64_t group = product.groups; group > 0; --group) {
    ahead.step();
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
    x += kInt8Group;
    panel += kGroupBytes;
  }
#pragma GCC unroll 6
  for (std::int64_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < kVectors; ++v) {
      finish(product, sums[i][v], product.x_scales[row + i], v * kLine / 4,
             product.y + (row + i) * product.y_stride);
    }
  }
}

// One row and kPanels panels, a group of each in turn.
template <std::int64_t kPanels>
YONA_VNNI_TARGET void multiply_panels(const Int8Product& product) {
  const std::uint8_t* x = product.x;
  const std::int8_t* panel = product.panel;
  const std::int64_t size = product.groups * kGroupBytes;
  __m512i sums[kPanels][kVectors];
#pragma GCC unroll 4
  for (std::int64_t p = 0; p < kPanels; ++p) {
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < kVectors; ++v) {
      sums[p][v] = first_sum(product.sums + p * kPanelRows + v * kLine / 4);
    }
  }
  for (std::int64_t group = product.groups; group > 0; --group) {
    const __m512i four = four_of(x);
#pragma GCC unroll 4
    for (std::int64_t p = 0; p < kPanels; ++p) {
#pragma GCC unroll 4
      for (std::int64_t v = 0; v < kVectors; ++v) {
        add_products(sums[p][v], four, _mm512_loadu_si512(panel + p * size + v * kLine));
      }
    }
    x += kInt8Group;
    panel += kGroupBytes;
  }
#pragma GCC unroll 4
  for (std::int64_t p = 0; p < kPanels; ++p) {
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < kVectors; ++v) {
      finish(product, sums[p][v], product.x_scales[0], p * kPanelRows + v * kLine / 4, product.y);
    }
  }
}

}  // namespace

bool cpu_has_vnni() {
  static const bool has = __builtin_cpu_supports("avx512vnni") != 0;
  return has && current_isa() == Isa::avx512;
}

// Blocks of rows are cut evenly: a last block of few rows would wait for its sums.
void multiply_by_vnni(const Int8Product& product) {
  constexpr std::array<void (*)(const Int8Product&, std::int64_t, FetchAhead&), kMostRows>
      kMultiply = {multiply_rows<1>, multiply_rows<2>, multiply_rows<3>,
                   multiply_rows<4>, multiply_rows<5>, multiply_rows<6>};
  const std::int64_t blocks = divide_up(product.rows, kMostRows);
  const std::int64_t height = product.rows / blocks;
  const std::int64_t taller = product.rows % blocks;  // so many blocks have one row more
  FetchAhead ahead(product, blocks);
  std::int64_t row = 0;
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::int64_t rows = height + (block < taller ? 1 : 0);
    kMultiply[static_cast<std::size_t>(rows - 1)](product, row, ahead);
    row += rows;
  }
}

void multiply_row_by_vnni(const Int8Product& product, std::int64_t panels) {
  if (panels == 4) {
    multiply_panels<4>(product);
  } else if (panels == 2) {
    multiply_panels<2>(product);
  } else {
    multiply_panels<1>(product);
  }
}

}  // namespace yona::cpu
