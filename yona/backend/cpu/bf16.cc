// Rounding to bf16 (nearest even; NaN stays NaN) on the bits of the number, a vector at a time.

#include "yona/backend/cpu/bf16.h"

#include <cstring>

#include "yona/backend/cpu/slices.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/bf16.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yona::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The rounded value in the upper half of each lane, zeros in the lower. A NaN is made quiet: the
// carry of rounding could else run into its sign or make it infinite.
template <class D, class V = hn::Vec<D>>  // of std::uint32_t
HWY_INLINE V rounded(D d, V bits) {
  const V odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1U));
  const V up = hn::Add(hn::Add(bits, hn::Set(d, 0x7FFFU)), odd);
  const auto is_nan = hn::Gt(hn::And(bits, hn::Set(d, 0x7FFFFFFFU)), hn::Set(d, 0x7F800000U));
  const V quiet = hn::Or(bits, hn::Set(d, 0x00400000U));
  return hn::And(hn::IfThenElse(is_nan, quiet, up), hn::Set(d, 0xFFFF0000U));
}

void round_row(const float* from, std::int64_t count, void* to, bool keep_f32) {
  const hn::ScalableTag<std::uint32_t> d;
  const hn::Rebind<std::uint16_t, decltype(d)> half;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* bits = reinterpret_cast<const std::uint32_t*>(from);
  std::int64_t j = 0;
  for (; j + lanes <= count; j += lanes) {
    const auto value = rounded(d, hn::LoadU(d, bits + j));
    if (keep_f32) {
      hn::StoreU(value, d, static_cast<std::uint32_t*>(to) + j);
    } else {
      hn::StoreU(hn::TruncateTo(half, hn::ShiftRight<16>(value)), half,
                 static_cast<std::uint16_t*>(to) + j);
    }
  }
  for (; j < count; ++j) {
    if (keep_f32) {
      static_cast<float*>(to)[j] = from_bf16(to_bf16(from[j]));
    } else {
      static_cast<std::uint16_t*>(to)[j] = to_bf16(from[j]);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona::cpu {

HWY_EXPORT(round_row);

namespace {

void round_bf16(const RoundArgs& args, Exec& exec) {
  for_each_piece(exec, args.y.rows, args.y.cols,
                 [&](std::int64_t i, std::int64_t begin, std::int64_t end) {
                   std::uint16_t* to = args.y.row<std::uint16_t>(i) + begin;
                   if (i < args.x.rows) {
                     HWY_DYNAMIC_DISPATCH(round_row)
                     (args.x.row<float>(i) + begin, end - begin, to, false);
                   } else {
                     std::fill_n(to, end - begin, std::uint16_t{0});
                   }
                 });
}

const Registration registration(BackendKind::cpu,
                                [](Kernels& table) { table.round_bf16 = round_bf16; });

}  // namespace

void widen_bf16(const View& from, const View& to, ThreadPool& pool) {
  pool.run_ranges(to.rows, rows_per_slice(to.cols), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t j = 0; j < to.cols; ++j) {
        to.row<float>(i)[j] = i < from.rows ? from_bf16(from.row<std::uint16_t>(i)[j]) : 0.0F;
      }
    }
  });
}

void round_to_bf16(const View& from, const View& to, ThreadPool& pool) {
  constexpr std::int64_t kSliceElements = 1 << 16;
  const std::int64_t grain =
      std::max<std::int64_t>(1, kSliceElements / std::max<std::int64_t>(1, from.cols));
  const bool keep_f32 = to.dtype == DType::f32;
  pool.run_ranges(to.rows, grain, [&](std::int64_t begin, std::int64_t end) {
    const auto round = HWY_DYNAMIC_DISPATCH(round_row);
    for (std::int64_t i = begin; i < end; ++i) {
      void* row = keep_f32 ? static_cast<void*>(to.row<float>(i)) : to.row<std::uint16_t>(i);
      if (i < from.rows) {
        round(from.row<float>(i), from.cols, row, keep_f32);
      } else {
        std::memset(row, 0, static_cast<std::size_t>(to.cols) * size_of(to.dtype));
      }
    }
  });
}

void round_to_bf16(const float* from, std::int64_t count, std::uint16_t* to) {
  HWY_DYNAMIC_DISPATCH(round_row)(from, count, to, false);
}

}  // namespace yona::cpu
#endif  // HWY_ONCE
