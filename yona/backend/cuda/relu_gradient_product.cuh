// dZ = (dY W ∘ [H > 0]) · scale and its column sums, for Hopper: a product whose epilogue is the
// gradient behind relu and dropout, so that dY W never goes to memory and back.
//
//   dY [rows, depth], W [depth, cols], H and dZ [rows, cols], all bf16 and row-major; depth a
//   multiple of 64, cols of 256. Column sums are of dZ as rounded, 64 rows to a slice.
//
// A block computes tiles of 128 × 256, one after another. Its first warpgroup is the producer: one
// thread of it has the copy engine fill a ring of stages, each 64 deep. The other two each multiply
// 64 of the tile's rows with all of its columns. Two blocks of a cluster have tiles below each
// other, which share the columns of W: each brings half of them to both.
//
// H is read while products run, eight elements at a time, and only its signs are kept: a lane's 128
// sums need 128 bits. The second consumer begins kLead steps behind the first, and stays behind, so
// that the tensor cores have one's products to do while the other rounds and writes.
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

struct Ring {
  std::uint32_t base = 0;      // of shared memory
  std::uint32_t barriers = 0;  // full ones, then empty ones
  int stage = 0;
  std::uint32_t parity = 0;

  __device__ std::uint32_t left() const { return base + stage * Tile::kStageBytes; }
  __device__ std::uint32_t right() const { return left() + Tile::kLeftBytes; }
  __device__ std::uint32_t full() const { return barriers + stage * 8; }
  __device__ std::uint32_t empty() const { return barriers + (Tile::kStages + stage) * 8; }
  __device__ void advance() {
    if (++stage == Tile::kStages) {
      stage = 0;
      parity ^= 1U;
    }
  }
};

// The tiles of a cluster, numbered row by row of tiles so that those of one row, which share dY,
// are computed at about the same time.
template <int kCluster>
struct Tiles {
  int cols = 0;
  int count = 0;
  __device__ explicit Tiles(const ReluGradient& p)
      : cols(p.cols / Tile::kCols),
        count((p.rows + kCluster * Tile::kRows - 1) / (kCluster * Tile::kRows) * cols) {}
  __device__ int first() const { return static_cast<int>(blockIdx.x) / kCluster; }
  __device__ int step() const { return static_cast<int>(gridDim.x) / kCluster; }
  __device__ int row(int tile, int rank) const {
    return (tile / cols * kCluster + rank) * Tile::kRows;
  }
  __device__ int col(int tile) const { return tile % cols * Tile::kCols; }
};

template <int kCluster, bool kPrefetch>
__device__ void produce(const CUtensorMap& dy, const CUtensorMap& w, const CUtensorMap& h,
                        const ReluGradient& p, Ring ring) {
  constexpr int kOwnPanels = Tile::kPanels / kCluster;
  constexpr auto kAll = static_cast<std::uint16_t>((1 << kCluster) - 1);
  const int rank = kCluster > 1 ? hopper::cluster_rank() : 0;
  const Tiles<kCluster> tiles(p);
  for (int tile = tiles.first(); tile < tiles.count; tile += tiles.step()) {
    const int row = tiles.row(tile, rank);
    const int col = tiles.col(tile);
    if (kPrefetch) {
      hopper::prefetch_tile(h, col, row);
    }
    for (int depth = 0; depth < p.depth; depth += Tile::kDepth) {
      hopper::barrier_wait(ring.empty(), ring.parity ^ 1U);  // in all blocks of the cluster
      hopper::barrier_expect(ring.full(), Tile::kStageBytes);
      hopper::copy_in(ring.left(), dy, depth, row, ring.full());
#pragma unroll
      for (int i = 0; i < kOwnPanels; ++i) {
        const int panel = rank * kOwnPanels + i;
        const std::uint32_t to = ring.right() + panel * Tile::kPanelBytes;
        const int x = col + panel * Tile::kPanel;
        if constexpr (kCluster > 1) {
          hopper::copy_in_to_all(to, w, x, depth, ring.full(), kAll);
        } else {
          hopper::copy_in(to, w, x, depth, ring.full());
        }
      }
      ring.advance();
    }
  }
}

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

template <int kCluster, int kLead>
__device__ void consume(const CUtensorMap& dz, const ReluGradient& p, Ring ring,
                        const Place& place) {
  constexpr int kLeadBarrier = 3;
  const int rank = kCluster > 1 ? hopper::cluster_rank() : 0;
  const int lane = place.thread % 32;
  const int steps = p.depth / Tile::kDepth;
  const Tiles<kCluster> tiles(p);
  float sums[128] = {};
  Signs signs;
  const auto release = [&](const Ring& done) {  // the stage, here and where its copies came from
    if (lane < kCluster) {
      hopper::barrier_arrive(done.empty(), lane);
    }
    __syncwarp();
  };
  if (kLead > 0 && place.consumer == 1) {
    hopper::meet(kLeadBarrier, 2 * hopper::kWarpgroup);
  }
  for (int tile = tiles.first(); tile < tiles.count; tile += tiles.step()) {
    const int row = tiles.row(tile, rank) + place.consumer * Tile::kSliceRows;
    const int col = tiles.col(tile);
    signs.begin(p, row + place.thread / 32 * 16 + lane / 4, col);
    Ring before = ring;
    for (int step = 0; step < steps; ++step) {
      hopper::barrier_wait(ring.full(), ring.parity);
      const std::uint64_t a =
          hopper::left_operand(ring.left() + place.consumer * (Tile::kLeftBytes / 2));
      const std::uint64_t b = hopper::right_operand(ring.right(), Tile::kPanelBytes);
      hopper::begin_products();
#pragma unroll
      for (int k = 0; k < Tile::kDepth / 16; ++k) {  // offsets in units of 16 bytes
        hopper::multiply(sums, a + k * (32 / 16), b + k * (2048 / 16), step + k > 0);
      }
      hopper::commit_products();
      signs.run(step);
      hopper::wait_products<1>();
      if (step > 0) {
        release(before);
      }
      before = ring;
      ring.advance();
      if (kLead > 0 && place.consumer == 0 && tile == tiles.first() &&
          step == min(kLead, steps) - 1) {
        hopper::meet_arrive(kLeadBarrier, 2 * hopper::kWarpgroup);
      }
    }
    hopper::wait_products<0>();
    hopper::settle(sums);
    release(before);
    for (int step = steps; step < Signs::kSteps; ++step) {
      signs.run(step);
    }
    signs.exchange();
    finish(sums, signs, dz, p, place, row, col);
  }
  if (place.thread == 0) {
    hopper::wait_copies_out();
  }
}

}  // namespace relu_gradient

#endif  // YONA_HOPPER

template <int kCluster, int kLead, bool kPrefetch>
__global__ void __launch_bounds__(ReluGradientTile::kThreads, 1)
    relu_gradient_product_kernel(const __grid_constant__ CUtensorMap dy,
                                 const __grid_constant__ CUtensorMap w,
                                 const __grid_constant__ CUtensorMap h,
                                 const __grid_constant__ CUtensorMap dz, const ReluGradient p) {
#ifdef YONA_HOPPER
  using Tile = ReluGradientTile;
  extern __shared__ __align__(1024) unsigned char shared[];
  const std::uint32_t base = hopper::shared_address(shared);
  const relu_gradient::Ring ring{base, base + Tile::kBarriersAt, 0, 0};
  const int group = static_cast<int>(threadIdx.x) / hopper::kWarpgroup;
  if (threadIdx.x == 0) {
    if (base % 1024 != 0) {
      __trap();
    }
    for (int stage = 0; stage < Tile::kStages; ++stage) {
      hopper::barrier_init(ring.barriers + stage * 8, 1);
      hopper::barrier_init(ring.barriers + (Tile::kStages + stage) * 8, 8 * kCluster);  // warps
    }
    hopper::fence_barrier_init();
    hopper::prefetch_map(dy);
    hopper::prefetch_map(w);
    hopper::prefetch_map(dz);
  }
  if constexpr (kCluster > 1) {
    hopper::cluster_sync();
  } else {
    __syncthreads();
  }
  if (group == 0) {
    hopper::give_registers<40>();
    if (threadIdx.x == 0) {
      relu_gradient::produce<kCluster, kPrefetch>(dy, w, h, p, ring);
    }
  } else {
    hopper::take_registers<232>();
    const int consumer = group - 1;
    const relu_gradient::Place place{
        shared + Tile::kOutAt + consumer * 2 * Tile::kOutBytes,
        reinterpret_cast<float*>(shared + Tile::kSumsAt + consumer * Tile::kSumBytes), consumer,
        static_cast<int>(threadIdx.x) % hopper::kWarpgroup};
    relu_gradient::consume<kCluster, kLead>(dz, p, ring, place);
  }
  if constexpr (kCluster > 1) {
    hopper::cluster_sync();  // no block ends while another may arrive at its barriers
  }
#endif
}

}  // namespace yona::cuda
