// Squares of 4 × 4 are transposed in registers; sixteen rows at a time, so that whole cache lines
// of the result are filled while they are at hand.

#include "yona/backend/cpu/transpose.h"

#include <algorithm>

#include "yona/backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/transpose.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yona::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE void transpose_square(const float* from, std::int64_t from_stride, float* to,
                                 std::int64_t to_stride) {
  const hn::CappedTag<float, 4> d;
  const auto r0 = hn::LoadU(d, from);
  const auto r1 = hn::LoadU(d, from + from_stride);
  const auto r2 = hn::LoadU(d, from + 2 * from_stride);
  const auto r3 = hn::LoadU(d, from + 3 * from_stride);
  const auto low01 = hn::InterleaveLower(d, r0, r1);
  const auto low23 = hn::InterleaveLower(d, r2, r3);
  const auto high01 = hn::InterleaveUpper(d, r0, r1);
  const auto high23 = hn::InterleaveUpper(d, r2, r3);
  hn::StoreU(hn::ConcatLowerLower(d, low23, low01), d, to);
  hn::StoreU(hn::ConcatUpperUpper(d, low23, low01), d, to + to_stride);
  hn::StoreU(hn::ConcatLowerLower(d, high23, high01), d, to + 2 * to_stride);
  hn::StoreU(hn::ConcatUpperUpper(d, high23, high01), d, to + 3 * to_stride);
}

void transpose_matrix(const float* from, std::int64_t from_stride, std::int64_t rows,
                      std::int64_t cols, float* to, std::int64_t to_stride) {
  const std::int64_t whole_cols = cols / 4 * 4;
  for (std::int64_t begin = 0; begin < rows; begin += 16) {
    const std::int64_t end = std::min(rows, begin + 16);
    const std::int64_t whole_end = begin + (end - begin) / 4 * 4;
    for (std::int64_t j = 0; j < whole_cols; j += 4) {
      for (std::int64_t i = begin; i < whole_end; i += 4) {
        transpose_square(from + i * from_stride + j, from_stride, to + j * to_stride + i,
                         to_stride);
      }
    }
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t j = i < whole_end ? whole_cols : 0; j < cols; ++j) {
        to[j * to_stride + i] = from[i * from_stride + j];
      }
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona::cpu {

HWY_EXPORT(transpose_matrix);

void transpose(const float* from, std::int64_t from_stride, std::int64_t rows, std::int64_t cols,
               float* to, std::int64_t to_stride) {
  HWY_DYNAMIC_DISPATCH(transpose_matrix)(from, from_stride, rows, cols, to, to_stride);
}

}  // namespace yona::cpu
#endif  // HWY_ONCE
