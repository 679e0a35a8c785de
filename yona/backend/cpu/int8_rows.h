// The left side of an int8 product: rows of numbers rounded to bytes; and the product of all of
// them with some of the panels.
#pragma once

#include <cstdint>

#include "yona/backend/cpu/scratch.h"
#include "yona/backend/exec.h"
#include "yona/backend/kernel_args.h"

namespace yona::cpu {

// bytes[j] ← x[j] / scale, rounded to nearest even, for j < k; zeros up to a multiple of
// kInt8Group. Gives the scale: see int8_scale() in panels.h.
float round_to_bytes(const float* x, std::int64_t k, std::int8_t* bytes);

// The same with kInt8Offset added to each of them: for the left side.
float round_to_offset_bytes(const float* x, std::int64_t k, std::uint8_t* bytes);

// Rows of x in bytes, with their scales; kept between calls, so that the steady state allocates
// nothing. Belongs to the thread that asked for the product; those of the pool write and read it.
class RoundedRows {
 public:
  void round(const View& x, Exec& exec);

  const std::uint8_t* row(std::int64_t i) const { return to_ + i * stride_; }
  const float* scale(std::int64_t i) const { return scale_ + i; }
  std::int64_t stride() const { return stride_; }

 private:
  Scratch<std::uint8_t> bytes_;
  Scratch<float> scales_;
  std::uint8_t* to_ = nullptr;
  float* scale_ = nullptr;
  std::int64_t stride_ = 0;
};

}  // namespace yona::cpu
