// Gradients of weights, dW (+)= dYᵀ X, for Hopper: many of them in one launch.
//
//   dY [depth, rows] and X [depth, cols], bf16 and row-major; dW [rows, cols], f32. The depth
//   counts tokens: it is long, and a product has few tiles. So a product alone does not fill the
//   GPU unless it is split over its depth (split-K), and the parts are then added up in a pass of
//   their own; the products of a layer together fill it with whole sums. Every tile has one owner:
//   the same bits every time.
//
// A block computes tiles of 128 × 256, one after another, warp-specialised: a producer thread
// issues TMA copies into a ring of stages; two consumer warpgroups each multiply 64 of the tile's
// rows with all of its columns. The two blocks of a cluster have tiles of one product below each
// other, which share the columns of X: each multicasts half of them to both. Both operands are laid
// out as they come, tokens by rows (gemm/wgmma.cuh). What lies outside a matrix reads as zero and
// is not written: no size has to be a multiple of anything, but the excess of a tile is lost time.
#pragma once

#include "yona/backend/cuda/common/dependent_launch.cuh"
#include "yona/backend/cuda/gemm/stage_ring.cuh"
#include "yona/backend/cuda/gemm/wgmma.cuh"

namespace yona::cuda {

// Numbers of the kernel that the host needs too.
struct WeightGradientsTile {
  static constexpr int kCluster = 2;  // blocks below each other
  static constexpr int kRows = 128;
  static constexpr int kCols = 256;
  static constexpr int kDepth = 64;
  static constexpr int kPanel = 64;  // columns that lie together in shared memory: 128 bytes
  static constexpr int kStages = 4;
  static constexpr int kConsumerWarps = 8 * kCluster;  // that use what a block brings
  static constexpr int kThreads = 3 * hopper::kWarpgroup;

  static constexpr int kLeftPanels = kRows / kPanel;
  static constexpr int kRightPanels = kCols / kPanel;
  static constexpr int kPanelBytes = kDepth * kPanel * 2;
  static constexpr int kLeftBytes = kLeftPanels * kPanelBytes;
  static constexpr int kStageBytes = kLeftBytes + kRightPanels * kPanelBytes;
  static constexpr int kBarriersAt = kStages * kStageBytes;
  static constexpr int kSharedBytes = kBarriersAt + 2 * kStages * 8;
  static_assert(kRightPanels % kCluster == 0 && kSharedBytes <= 227 * 1024);
};

struct WeightGradientProduct {
  CUtensorMap dy, x;  // tiles of kDepth rows and kPanel columns
  float* dw = nullptr;
  std::int64_t stride = 0;
  int rows = 0, cols = 0, depth = 0;
  int accumulate = 0;
  int first = 0;       // of all clusters' tiles, the product's first
  int neighbours = 0;  // clusters' tiles in one row
};

struct WeightGradientProducts {
  static constexpr int kMost = 32;
  WeightGradientProduct products[kMost];
  int count = 0;
  int tiles = 0;  // clusters' tiles of all
};

#ifdef YONA_HOPPER

namespace weight_gradients {

using Tile = WeightGradientsTile;

using Ring = StageRing<Tile>;

// A block's tile, as an index into the group and a place in dW.
struct Place {
  int product = 0, row = 0, col = 0;

  __device__ Place(const WeightGradientProducts& group, int tile, int rank) {
    while (product + 1 < group.count && tile >= group.products[product + 1].first) {
      ++product;
    }
    const int in_product = tile - group.products[product].first;
    const int neighbours = group.products[product].neighbours;
    row = (in_product / neighbours * Tile::kCluster + rank) * Tile::kRows;
    col = in_product % neighbours * Tile::kCols;
  }
};

__device__ inline int first_tile() { return static_cast<int>(blockIdx.x) / Tile::kCluster; }
__device__ inline int tile_step() { return static_cast<int>(gridDim.x) / Tile::kCluster; }

__device__ inline void produce(const WeightGradientProducts& group, Ring ring) {
  constexpr int kOwnPanels = Tile::kRightPanels / Tile::kCluster;
  constexpr auto kAll = static_cast<std::uint16_t>((1 << Tile::kCluster) - 1);
  const int rank = hopper::cluster_rank();
  for (int tile = first_tile(); tile < group.tiles; tile += tile_step()) {
    const Place place(group, tile, rank);
    const WeightGradientProduct& p = group.products[place.product];
    for (int token = 0; token < p.depth; token += Tile::kDepth) {
      hopper::barrier_wait(ring.empty(), ring.parity ^ 1U);  // in both blocks
      hopper::barrier_expect(ring.full(), Tile::kStageBytes);
#pragma unroll
      for (int panel = 0; panel < Tile::kLeftPanels; ++panel) {
        hopper::copy_in(ring.left() + panel * Tile::kPanelBytes, p.dy,
                        place.row + panel * Tile::kPanel, token, ring.full());
      }
#pragma unroll
      for (int i = 0; i < kOwnPanels; ++i) {
        const int panel = rank * kOwnPanels + i;
        hopper::copy_in_to_all(ring.right() + panel * Tile::kPanelBytes, p.x,
                               place.col + panel * Tile::kPanel, token, ring.full(), kAll);
      }
      ring.advance();
    }
  }
}

// A lane's sums go to dW, two of a row at a time.
__device__ inline void write(const float (&sums)[128], const WeightGradientProduct& p, int row,
                             int col) {
  constexpr int kAtOnce = 16;  // loads on their way
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const bool there = row + 8 * half < p.rows;
    float* to = p.dw + (row + 8 * half) * p.stride + col;
#pragma unroll
    for (int begin = 0; begin < 32; begin += kAtOnce) {
      float2 values[kAtOnce] = {};
      if (p.accumulate != 0) {
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) {
          if (there && col + 8 * (begin + j) < p.cols) {
            values[j] = *reinterpret_cast<const float2*>(to + 8 * (begin + j));
          }
        }
      }
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j) {
        const int at = 4 * (begin + j) + 2 * half;
        if (there && col + 8 * (begin + j) < p.cols) {
          *reinterpret_cast<float2*>(to + 8 * (begin + j)) =
              make_float2(values[j].x + sums[at], values[j].y + sums[at + 1]);
        }
      }
    }
  }
}

__device__ inline void consume(const WeightGradientProducts& group, Ring ring, int consumer) {
  const int rank = hopper::cluster_rank();
  const int thread = static_cast<int>(threadIdx.x) % hopper::kWarpgroup;
  const int lane = thread % 32;
  float sums[128] = {};
  const auto release = [&](const Ring& done) {  // the stage, here and where its copies came from
    if (lane < Tile::kCluster) {
      hopper::barrier_arrive(done.empty(), lane);
    }
    __syncwarp();
  };
  for (int tile = first_tile(); tile < group.tiles; tile += tile_step()) {
    const Place place(group, tile, rank);
    const WeightGradientProduct& p = group.products[place.product];
    const int steps = (p.depth + Tile::kDepth - 1) / Tile::kDepth;
    Ring before = ring;
    for (int step = 0; step < steps; ++step) {
      hopper::barrier_wait(ring.full(), ring.parity);
      const std::uint64_t a =
          hopper::right_operand(ring.left() + consumer * Tile::kPanelBytes, Tile::kPanelBytes);
      const std::uint64_t b = hopper::right_operand(ring.right(), Tile::kPanelBytes);
      hopper::begin_products();
#pragma unroll
      for (int k = 0; k < Tile::kDepth / 16; ++k) {  // offsets in units of 16 bytes
        hopper::multiply<hopper::Left::by_columns>(sums, a + k * (2048 / 16), b + k * (2048 / 16),
                                                   step + k > 0);
      }
      hopper::commit_products();
      hopper::wait_products<1>();
      if (step > 0) {
        release(before);
      }
      before = ring;
      ring.advance();
    }
    hopper::wait_products<0>();
    hopper::settle(sums);
    release(before);
    write(sums, p, place.row + consumer * 64 + thread / 32 * 16 + lane / 4,
          place.col + lane % 4 * 2);
  }
}

}  // namespace weight_gradients

#endif  // YONA_HOPPER

// To be launched in clusters of kCluster blocks. Every product has a depth of at least 1.
__global__ void __launch_bounds__(WeightGradientsTile::kThreads, 1)
    weight_gradients_kernel(const __grid_constant__ WeightGradientProducts group) {
#ifdef YONA_HOPPER
  using Tile = WeightGradientsTile;
  extern __shared__ __align__(1024) unsigned char shared[];
  const std::uint32_t base = hopper::shared_address(shared);
  const weight_gradients::Ring ring{base, base + Tile::kBarriersAt, 0, 0};
  const int warpgroup = static_cast<int>(threadIdx.x) / hopper::kWarpgroup;
  if (threadIdx.x == 0) {
    if (base % 1024 != 0) {
      __trap();
    }
    for (int stage = 0; stage < Tile::kStages; ++stage) {
      hopper::barrier_init(ring.barriers + stage * 8, 1);
      hopper::barrier_init(ring.barriers + (Tile::kStages + stage) * 8, Tile::kConsumerWarps);
    }
    hopper::fence_barrier_init();
  }
  hopper::cluster_sync();
  wait_for_previous_grid();
  if (warpgroup == 0) {
    hopper::give_registers<40>();
    if (threadIdx.x == 0) {
      weight_gradients::produce(group, ring);
    }
  } else {
    hopper::take_registers<232>();
    weight_gradients::consume(group, ring, warpgroup - 1);
  }
  hopper::cluster_sync();  // no block ends while another may arrive at its barriers
#endif
}

}  // namespace yona::cuda
