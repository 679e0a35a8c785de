// What kernels are given: pictures. Conventions are in kernel_args.h.
#pragma once

#include <cstdint>

#include "yona/backend/view.h"

namespace yona {

// The patches of pictures, from bytes: y = share · table[x] + (1 - share) · table[other], where
// what is covered counts as 0 instead; without `other`, y = table[x]. A row is a patch, channel by
// channel, each row by row; patches come from left to right and from top to bottom.
struct PatchNumbersArgs {
  View x{}, other{};  // u8 [pictures · patches, channels · patch²]; other is optional
  View y{};
  const float* table = nullptr;  // [channels, 256]: the number of a byte
  // [pictures, kPictureChanges]: the share; top, left, height and width of the covered rectangle
  // of x; the same of `other`.
  const float* changes = nullptr;
  std::int64_t patch = 0, stride = 0;           // pixels
  std::int64_t patch_rows = 0, patch_cols = 0;  // of a picture
};
inline constexpr std::int64_t kPictureChanges = 9;

}  // namespace yona
