// The patches of pictures on the device, made from bytes: a quarter of the upload of numbers, and
// normalising, covering and mixing are done there.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "yona/tensor/context.h"

namespace yona {

struct PatchBytes {
  // Patches of patch_rows · patch_cols a picture, channel by channel, each row by row.
  std::span<const std::uint8_t> bytes;
  std::span<const std::uint8_t> other{};             // mixed in; as many, or none
  std::span<const float> changes;                    // kPictureChanges of each picture
  const std::vector<std::array<float, 256>>& table;  // of each channel: the number of a byte
  std::int64_t patch = 16, stride = 16;              // pixels
  std::int64_t patch_rows = 14, patch_cols = 14;     // of a picture
};

// → [pictures · patches, channels · patch²] in the context's activation type. Without a backward
// pass: nothing is learnt in front of it.
Tensor patch_numbers(const PatchBytes& pictures, Context& c);

}  // namespace yona
