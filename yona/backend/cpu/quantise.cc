// Rounding to bytes: a pass for the largest element of a row, one that multiplies and rounds. Rows
// of weights then go, four bytes at a time, to where their panel has them.

#include <algorithm>
#include <cstring>

#include "yona/backend/cpu/int8_product.h"
#include "yona/backend/cpu/int8_rows.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/panels.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/quantise.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using ByteFloats = hn::ScalableTag<float>;
using ByteIntegers = hn::RebindToSigned<ByteFloats>;

// The largest |x|; infinity or NaN where there is one. As bits without their sign, floats are
// ordered as integers are, and what is not a number is above all others.
HWY_INLINE float largest_magnitude(const float* x, std::int64_t k) {
  const ByteFloats d;
  const ByteIntegers integers;
  const auto magnitude = hn::Set(integers, 0x7fffffff);
  hn::Vec<ByteIntegers> largest[4] = {hn::Zero(integers), hn::Zero(integers), hn::Zero(integers),
                                      hn::Zero(integers)};
  for_each_of_four(d, k, [&](std::int64_t j, auto part, int i) YONA_INLINE_LAMBDA {
    const auto bits = hn::And(hn::BitCast(integers, load(d, x + j, part)), magnitude);
    largest[i] = hn::Max(largest[i], bits);
  });
  const auto all = hn::Max(hn::Max(largest[0], largest[1]), hn::Max(largest[2], largest[3]));
  return hn::GetLane(hn::BitCast(d, hn::MaxOfLanes(integers, all)));
}

// Byte is std::int8_t, or std::uint8_t with the offset added.
template <class Byte>
HWY_INLINE float round_row(const float* x, std::int64_t k, Byte* bytes) {
  const ByteFloats d;
  const ByteIntegers integers;
  const hn::Rebind<Byte, ByteFloats> narrow;
  const Int8Scale scale = int8_scale(largest_magnitude(x, k));
  constexpr std::int32_t kOffset = std::is_signed_v<Byte> ? 0 : cpu::kInt8Offset;
  const auto inverse = hn::Set(d, scale.inverse);
  const auto offset = hn::Set(integers, kOffset);
  for_each_vector(d, k, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const auto rounded = hn::NearestInt(hn::Mul(load(d, x + j, part), inverse));
    store(narrow, hn::DemoteTo(narrow, hn::Add(rounded, offset)), bytes + j, part);
  });
  for (std::int64_t j = k; j % kInt8Group != 0; ++j) {
    bytes[j] = static_cast<Byte>(kOffset);
  }
  return scale.scale;
}

float round_signed(const float* x, std::int64_t k, std::int8_t* bytes) {
  return round_row(x, k, bytes);
}

float round_offset(const float* x, std::int64_t k, std::uint8_t* bytes) {
  return round_row(x, k, bytes);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(round_signed);
HWY_EXPORT(round_offset);

namespace cpu {

float round_to_bytes(const float* x, std::int64_t k, std::int8_t* bytes) {
  return HWY_DYNAMIC_DISPATCH(round_signed)(x, k, bytes);
}

float round_to_offset_bytes(const float* x, std::int64_t k, std::uint8_t* bytes) {
  return HWY_DYNAMIC_DISPATCH(round_offset)(x, k, bytes);
}

void RoundedRows::round(const View& x, Exec& exec) {
  stride_ = int8_panel_size(x.cols) / kPanelRows;
  to_ = bytes_.get(static_cast<std::size_t>(x.rows * stride_ + 1));
  scale_ = scales_.get(static_cast<std::size_t>(x.rows));
  // A few rows are done before other threads would have woken up.
  constexpr std::int64_t kSlice = 1 << 15;
  exec.pool->run_ranges(x.rows, std::max<std::int64_t>(1, kSlice / (x.cols + 1)),
                        [&](std::int64_t begin, std::int64_t end) {
                          for (std::int64_t i = begin; i < end; ++i) {
                            scale_[i] =
                                round_to_offset_bytes(x.row<float>(i), x.cols, to_ + i * stride_);
                          }
                        });
}

}  // namespace cpu

namespace {

void quantise_row(const QuantiseArgs& args, std::int64_t row, std::int8_t* bytes) {
  const std::int64_t k = args.weights.cols;
  const Int8Weights& to = args.to;
  to.scales.row<float>(0)[row] = cpu::round_to_bytes(args.weights.row<float>(row), k, bytes);
  std::int8_t* panel = to.values.row<std::int8_t>(row / kPanelRows);
  std::int32_t sum = 0;
  for (std::int64_t j = 0; j < k; j += kInt8Group) {
    std::memcpy(panel + int8_place(row % kPanelRows, j), bytes + j, kInt8Group);
    for (std::int64_t i = 0; i < kInt8Group; ++i) {
      sum += bytes[j + i];
    }
  }
  to.sums.row<std::int32_t>(0)[row] = sum;
}

void quantise(const QuantiseArgs& args, Exec& exec) {
  exec.pool->run(panel_count(args.weights), [&](std::int64_t p) {
    thread_local cpu::Scratch<std::int8_t> scratch;
    std::int8_t* bytes =
        scratch.get(static_cast<std::size_t>(int8_panel_size(args.weights.cols) / kPanelRows));
    for (std::int64_t row = p * kPanelRows; row < (p + 1) * kPanelRows; ++row) {
      if (row < args.weights.rows) {
        quantise_row(args, row, bytes);
      } else {
        clear_int8_row(args.to, row, args.weights.cols);
      }
    }
  });
}

const Registration registration(BackendKind::cpu,
                                [](Kernels& table) { table.quantise = quantise; });

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
