// What follows the product of relu_gradient_product.cuh: signs of H are gathered while it runs, and
// then let sums through or not; results go out through shared memory, and are added up by columns.
#pragma once

#include <cuda_bf16.h>

#include "yona/backend/cuda/wgmma.cuh"

namespace yona::cuda {

// Numbers of the kernel that the host needs too.
struct ReluGradientTile {
  static constexpr int kRows = 128;
  static constexpr int kCols = 256;
  static constexpr int kDepth = 64;
  static constexpr int kPanel = 64;      // columns that lie together in shared memory: 128 bytes
  static constexpr int kSliceRows = 64;  // of a row of partial sums: a consumer's
  static constexpr int kStages = 4;
  static constexpr int kCluster = 2;                   // blocks
  static constexpr int kConsumerWarps = 8 * kCluster;  // of a cluster
  static constexpr int kThreads = 3 * hopper::kWarpgroup;

  static constexpr int kPanels = kCols / kPanel;
  static constexpr int kLeftBytes = kRows * kDepth * 2;
  static constexpr int kPanelBytes = kDepth * kPanel * 2;
  static constexpr int kStageBytes = kLeftBytes + kPanels * kPanelBytes;
  static constexpr int kOutBytes = kSliceRows * kPanel * 2;  // a panel of a consumer's results
  static constexpr int kSumBytes = 4 * kPanel * 4;           // column sums of its warps
  // Stages, two panels for each consumer, its sums, and two barriers for each stage.
  static constexpr int kOutAt = kStages * kStageBytes;
  static constexpr int kSumsAt = kOutAt + 4 * kOutBytes;
  static constexpr int kBarriersAt = kSumsAt + 2 * kSumBytes;
  static constexpr int kSharedBytes = kBarriersAt + 2 * kStages * 8;
};

struct ReluGradient {
  const __nv_bfloat16* h = nullptr;
  std::int64_t h_stride = 0;
  float* partials = nullptr;  // [slices, cols], or nothing
  int rows = 0;
  int cols = 0;
  int depth = 0;
  float scale = 1.0F;
};

#ifdef YONA_HOPPER

namespace relu_gradient {

using Tile = ReluGradientTile;

// The signs of the lane's part of H, gathered while products run.
//
// The four lanes of a row read 64 bytes of it together: lane q elements 8 (4 i + q) …, of which it
// needs but two itself; word k, two elements, is lane k's. So it keeps four words of bits, one for
// each lane, and at the end they are exchanged: bits[q] then has the signs of sums 4 i + q. Byte
// 2 e + half has element e of row l / 4 + 8 half, i = 0 … 7 from the highest bit down.
struct Signs {
  static constexpr int kSteps = 5;  // four loads, each taken up at the next step
  const __nv_bfloat16* from = nullptr;
  std::int64_t below = 0;  // eight rows, in elements
  int rows_left = 0;       // of the matrix, from the lane's first row on
  uint4 raw[4] = {};
  std::uint32_t bits[4] = {};

  __device__ void begin(const ReluGradient& p, int row, int col) {
    from = p.h + row * p.h_stride + col + threadIdx.x % 4 * 8;
    below = 8 * p.h_stride;
    rows_left = p.rows - row;
    bits[0] = bits[1] = bits[2] = bits[3] = 0;
  }

  __device__ void load(int step) {
    const int half = step / 2;
    const __nv_bfloat16* at = from + half * below + step % 2 * 128;
    const bool there = 8 * half < rows_left;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      raw[i] = make_uint4(0, 0, 0, 0);
      if (there) {
        asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(raw[i].x), "=r"(raw[i].y), "=r"(raw[i].z), "=r"(raw[i].w)
                     : "l"(at + 32 * i));
      }
    }
  }

  // All ones where an element is positive.
  __device__ static std::uint32_t positive(std::uint32_t pair) {
    const auto x = *reinterpret_cast<const __nv_bfloat162*>(&pair);
    return __hgt2_mask(x, __nv_bfloat162{});
  }

  __device__ void take(int step) {
    std::uint32_t found[4] = {};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t bit = 0x00800080U >> i;
      found[0] |= positive(raw[i].x) & bit;
      found[1] |= positive(raw[i].y) & bit;
      found[2] |= positive(raw[i].z) & bit;
      found[3] |= positive(raw[i].w) & bit;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      bits[k] |= found[k] >> (step % 2 * 4) << (step / 2 * 8);
    }
  }

  __device__ void run(int step) {
    if (step > 0 && step < kSteps) {
      take(step - 1);
    }
    if (step < kSteps - 1) {
      load(step);
    }
  }

  // Word k of lane q becomes word q of lane k.
  __device__ void exchange() {
    const bool odd = threadIdx.x % 2 != 0;
    const bool high = threadIdx.x / 2 % 2 != 0;
#pragma unroll
    for (int i = 0; i < 4; i += 2) {  // words 1 of even lanes against words 0 of odd ones
      const std::uint32_t got = __shfl_xor_sync(0xFFFFFFFFU, odd ? bits[i] : bits[i + 1], 1);
      (odd ? bits[i] : bits[i + 1]) = got;
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const std::uint32_t got = __shfl_xor_sync(0xFFFFFFFFU, high ? bits[i] : bits[i + 2], 2);
      (high ? bits[i] : bits[i + 2]) = got;
    }
  }

  // For the pair of sums 4 j + 2 half: ones over the elements that pass. 8 in the selector of a
  // byte asks for its sign.
  __device__ std::uint32_t mask(int j, int half) const {
    std::uint32_t result = 0;
    asm("prmt.b32 %0, %1, %2, %3;"
        : "=r"(result)
        : "r"(bits[j % 4] << (j / 4)), "r"(0), "r"(half == 0 ? 0xAA88 : 0xBB99));
    return result;
  }
};

__device__ inline std::uint32_t pair_of(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

// A consumer's part of the block's shared memory.
struct Place {
  unsigned char* out = nullptr;  // two panels of 64 rows of 128 bytes, laid out for the copy engine
  float* sums = nullptr;         // [4 warps, 64 columns]
  int consumer = 0;
  int thread = 0;  // of the warpgroup
};

// 16 rows and 64 columns of a warp's results go to `out`; its lanes add up two columns each.
__device__ inline void write_panel(const float (&sums)[128], const Signs& signs, float scale,
                                   int panel, unsigned char* out, float* column_sums) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row = lane % 16;
  const std::uint32_t rows = hopper::shared_address(out);
#pragma unroll
  for (int pair = 0; pair < 4; ++pair) {
    std::uint32_t words[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int j = 8 * panel + 2 * pair + k / 2;
      const int half = k % 2;
      words[k] = pair_of(sums[4 * j + 2 * half] * scale, sums[4 * j + 2 * half + 1] * scale) &
                 signs.mask(j, half);
    }
    const int piece = (2 * pair + lane / 16) ^ (row % 8);
    hopper::store_matrices(rows + row * 128 + piece * 16, words[0], words[1], words[2], words[3]);
  }
  __syncwarp();
  float2 total = make_float2(0.0F, 0.0F);
#pragma unroll
  for (int r = 0; r < 16; ++r) {
    const int piece = (lane / 4) ^ (r % 8);
    const auto word =
        *reinterpret_cast<const std::uint32_t*>(out + r * 128 + piece * 16 + lane % 4 * 4);
    total.x += __uint_as_float(word << 16U);
    total.y += __uint_as_float(word & 0xFFFF0000U);
  }
  reinterpret_cast<float2*>(column_sums)[lane] = total;
}

// The consumer's 64 × 256 results, 64 columns at a time through two panels in turn.
__device__ inline void finish(const float (&sums)[128], const Signs& signs, const CUtensorMap& dz,
                              const ReluGradient& p, const Place& place, int row, int col) {
  const int barrier = 1 + place.consumer;
  const int warp = place.thread / 32;
  const bool there = row < p.rows;
#pragma unroll
  for (int panel = 0; panel < Tile::kPanels; ++panel) {
    unsigned char* out = place.out + panel % 2 * Tile::kOutBytes;
    if (place.thread == 0) {
      hopper::wait_copies_read<1>();
    }
    hopper::meet(barrier, hopper::kWarpgroup);
    write_panel(sums, signs, p.scale, panel, out + warp * 16 * 128,
                place.sums + warp * Tile::kPanel);
    hopper::fence_for_copies();
    hopper::meet(barrier, hopper::kWarpgroup);
    const int x = col + panel * Tile::kPanel;
    if (place.thread == 0 && there) {
      hopper::copy_out(dz, x, row, hopper::shared_address(out));
    }
    if (place.thread < Tile::kPanel && there && p.partials != nullptr) {
      float total = 0.0F;
#pragma unroll
      for (int w = 0; w < 4; ++w) {
        total += place.sums[w * Tile::kPanel + place.thread];
      }
      p.partials[static_cast<std::int64_t>(row / Tile::kSliceRows) * p.cols + x + place.thread] =
          total;
    }
  }
}

}  // namespace relu_gradient

#endif  // YONA_HOPPER

}  // namespace yona::cuda
