// The patches of pictures, from bytes to numbers: a warp takes a chunk of a row, eight neighbouring
// pixels to a lane. The table of all bytes and channels is in the L1 cache.

#include "yona/backend/cuda/common/pack.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

// A picture's rectangle: top, left, height and width.
__device__ bool is_covered(const float* rectangle, int y, int x) {
  const auto down = static_cast<float>(y);
  const auto right = static_cast<float>(x);
  return down >= rectangle[0] && down < rectangle[0] + rectangle[2] && right >= rectangle[1] &&
         right < rectangle[1] + rectangle[3];
}

// The pack that begins at channel c, as two words where rows are whole packs.
__device__ void load_bytes(const View& view, std::int64_t row, std::int64_t c, bool whole,
                           std::uint8_t (&bytes)[kPack]) {
  const auto* from = static_cast<const std::uint8_t*>(view.data) + row * view.stride + c;
  if (whole) {
    const uint2 words = *reinterpret_cast<const uint2*>(from);
#pragma unroll
    for (unsigned i = 0; i < kPack; ++i) {
      bytes[i] = static_cast<std::uint8_t>((i < 4 ? words.x : words.y) >> 8U * (i % 4));
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    bytes[i] = c + i < view.cols ? from[i] : std::uint8_t{0};
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    patch_numbers_kernel(PatchNumbersArgs a, Rows<T> y, bool whole) {
  const Place at = place_of_warp(a.y.rows, y.cols);
  if (!at.there || at.channel >= y.cols) {
    return;
  }
  const std::int64_t patches = a.patch_rows * a.patch_cols;
  const float* changes = a.changes + at.row / patches * kPictureChanges;
  const auto patch = static_cast<int>(a.patch);
  const int square = patch * patch;
  const auto place = static_cast<int>(at.row % patches);
  const auto top = static_cast<int>(place / a.patch_cols * a.stride);
  const auto left = static_cast<int>(place % a.patch_cols * a.stride);
  const bool mixes = a.other.data != nullptr;
  std::uint8_t mine[kPack];
  std::uint8_t other[kPack];
  load_bytes(a.x, at.row, at.channel, whole, mine);
  if (mixes) {
    load_bytes(a.other, at.row, at.channel, whole, other);
  }
  float v[kPack] = {};
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    const int j = static_cast<int>(at.channel) + i;
    if (j >= y.cols) {
      break;
    }
    const float* table = a.table + j / square * 256;
    const int down = top + j % square / patch;
    const int right = left + j % patch;
    v[i] = is_covered(changes + 1, down, right) ? 0.0F : table[mine[i]];
    if (mixes) {
      const float second = is_covered(changes + 5, down, right) ? 0.0F : table[other[i]];
      v[i] = __fadd_rn(__fmul_rn(changes[0], v[i]), __fmul_rn(1.0F - changes[0], second));
    }
  }
  y.store(at.row, at.channel, v);
}

// Does every pack of eight bytes begin at a multiple of eight?
bool has_whole_packs(const View& view) {
  return !view || (view.cols % kPack == 0 && view.stride % kPack == 0 &&
                   reinterpret_cast<std::uintptr_t>(view.data) % kPack == 0);
}

void patch_numbers(const PatchNumbersArgs& args, Exec& exec) {
  if (args.y.rows * args.y.cols == 0) {
    return;
  }
  with_forward_type(args.y.dtype, "patch_numbers", [&](auto t) {
    using T = decltype(t);
    patch_numbers_kernel<<<blocks_of_packs(args.y), kThreads, 0, stream_of(exec)>>>(
        args, rows_of<T>(args.y), has_whole_packs(args.x) && has_whole_packs(args.other));
  });
  check_launch("patch_numbers");
}

const Registration registration([](Kernels& table) { table.patch_numbers = patch_numbers; });

}  // namespace
}  // namespace yona::cuda
