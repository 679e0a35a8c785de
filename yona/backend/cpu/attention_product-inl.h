// The product that all of attention's arithmetic is made of, once per instruction set:
//   C[m][n] (+)= Σ_k A[m][k] · B[k][n]
// A is read one element at a time and may lie in memory either way round; B and C are rows of whole
// vectors. A block of C stays in registers while k runs, so that each vector of B serves
// kBlockRows multiplications, and each element of A kBlockVectors, per load.

#if defined(YONA_BACKEND_CPU_ATTENTION_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef YONA_BACKEND_CPU_ATTENTION_PRODUCT_INL_H_
#undef YONA_BACKEND_CPU_ATTENTION_PRODUCT_INL_H_
#else
#define YONA_BACKEND_CPU_ATTENTION_PRODUCT_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yona::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;
inline constexpr std::int64_t kLanes = hn::MaxLanes(Floats());

// A block of C has at most kBlockVectors vectors a row, and as many rows as leave room in the
// registers (32 in AVX-512, else 16) for a row of B and one element of A. Measured: 6 × 4 is 15 %
// faster than 8 × 2 where the rows of B come from the second cache.
inline constexpr bool kManyRegisters = HWY_TARGET == HWY_AVX3;
inline constexpr std::size_t kBlockVectors = kManyRegisters ? 4 : 2;
inline constexpr std::size_t kBlockRows = kManyRegisters ? 8 : 6;

constexpr std::size_t block_rows(std::size_t vectors) {
  return std::min(kBlockRows, ((kManyRegisters ? 32 : 16) - vectors - 1) / vectors);
}

struct Product {
  const float* a = nullptr;  // A[m][k] at a[m · a_row + k · a_column]
  std::int64_t a_row = 0;
  std::int64_t a_column = 1;
  const float* b = nullptr;
  std::int64_t b_row = 0;
  float* c = nullptr;
  std::int64_t c_row = 0;
  bool accumulate = false;
};

// What counts for some rows of C; the rest of the sum, and of the row, is masked.
struct ProductRange {
  std::int64_t k_begin = 0, k_end = 0;
  std::int64_t vector_begin = 0;
};

template <std::size_t kRows, std::size_t kVectors>
HWY_NOINLINE void multiply_block(const Product& product, std::int64_t row, std::int64_t vector,
                                 std::int64_t k_begin, std::int64_t k_end) {
  const Floats d;
  const std::int64_t a_row = product.a_row;
  const std::int64_t a_column = product.a_column;
  const std::int64_t b_row = product.b_row;
  const std::int64_t c_row = product.c_row;
  const float* HWY_RESTRICT a = product.a + row * a_row + k_begin * a_column;
  const float* HWY_RESTRICT b = product.b + k_begin * b_row + vector * kLanes;
  float* HWY_RESTRICT c = product.c + row * c_row + vector * kLanes;

  // Unrolled by pragma: otherwise the compiler keeps the array in memory before and after the loop.
  Vector sums[kRows][kVectors];
#pragma GCC unroll 8
  for (std::size_t m = 0; m < kRows; ++m) {
#pragma GCC unroll 4
    for (std::size_t n = 0; n < kVectors; ++n) {
      sums[m][n] = hn::Zero(d);
    }
  }
  for (std::int64_t k = k_begin; k < k_end; ++k, a += a_column, b += b_row) {
    Vector b_vectors[kVectors];
#pragma GCC unroll 4
    for (std::size_t n = 0; n < kVectors; ++n) {
      b_vectors[n] = hn::LoadU(d, b + n * kLanes);
    }
#pragma GCC unroll 8
    for (std::size_t m = 0; m < kRows; ++m) {
      const Vector element = hn::Set(d, a[static_cast<std::int64_t>(m) * a_row]);
#pragma GCC unroll 4
      for (std::size_t n = 0; n < kVectors; ++n) {
        sums[m][n] = hn::MulAdd(element, b_vectors[n], sums[m][n]);
      }
    }
  }
  const bool accumulate = product.accumulate;
#pragma GCC unroll 8
  for (std::size_t m = 0; m < kRows; ++m, c += c_row) {
#pragma GCC unroll 4
    for (std::size_t n = 0; n < kVectors; ++n) {
      const Vector before = accumulate ? hn::LoadU(d, c + n * kLanes) : hn::Zero(d);
      hn::StoreU(hn::Add(before, sums[m][n]), d, c + n * kLanes);
    }
  }
}

using MultiplyBlock = void (*)(const Product&, std::int64_t row, std::int64_t vector,
                               std::int64_t k_begin, std::int64_t k_end);

template <std::size_t kIndex>
constexpr MultiplyBlock block_at() {
  constexpr std::size_t kRows = kIndex / kBlockVectors + 1;
  constexpr std::size_t kVectors = kIndex % kBlockVectors + 1;
  if constexpr (kRows <= block_rows(kVectors)) {
    return multiply_block<kRows, kVectors>;
  } else {
    return nullptr;
  }
}

template <std::size_t... kIndex>
constexpr std::array<MultiplyBlock, sizeof...(kIndex)> block_table(
    std::index_sequence<kIndex...> /*all*/) {
  return {block_at<kIndex>()...};
}

// By the number of rows and vectors of the block.
inline constexpr auto kMultiplyBlock =
    block_table(std::make_index_sequence<kBlockRows * kBlockVectors>());

// The product of `rows` rows and `vectors` vectors. range(m_begin, m_end) gives the ProductRange
// that covers these rows. Blocks are cut evenly: a last block of few rows would wait for its sums.
template <class Range>
HWY_INLINE void multiply(const Product& product, std::int64_t rows, std::int64_t vectors,
                         const Range& range) {
  if (rows == 0) {
    return;
  }
  const auto all_vectors = static_cast<std::uint32_t>(vectors);
  const auto panels = static_cast<std::uint32_t>((all_vectors + kBlockVectors - 1) / kBlockVectors);
  const std::uint32_t width = (all_vectors + panels - 1) / panels;
  const auto most_rows = static_cast<std::uint32_t>(block_rows(width));
  const auto all_rows = static_cast<std::uint32_t>(rows);
  const std::uint32_t blocks = (all_rows + most_rows - 1) / most_rows;
  const std::uint32_t height = all_rows / blocks;
  const std::uint32_t taller = all_rows % blocks;  // this many blocks have one row more
  std::int64_t row = 0;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const std::int64_t row_end = row + height + (block < taller ? 1 : 0);
    const ProductRange part = range(row, row_end);
    const MultiplyBlock* of_rows =
        kMultiplyBlock.data() + (row_end - row - 1) * static_cast<std::int64_t>(kBlockVectors);
    for (std::int64_t vector = part.vector_begin; vector < vectors; vector += width) {
      const std::int64_t count = std::min<std::int64_t>(width, vectors - vector);
      of_rows[count - 1](product, row, vector, part.k_begin, part.k_end);
    }
    row = row_end;
  }
}

}  // namespace yona::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
