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
// sums need 128 bits. Its tile is called into the L2 cache when the tile's products begin.
//
// On an H200, in µs, with the partial sums added up; the other way is cuBLASLt's product and then
// bias_activation_backward's pass over it (up to 512 deep, relu_gradient_held.cuh is faster):
//     rows   depth   cols   the product alone   and the pass   this kernel
//   25,000     512   2048                82.3          165.3         120.7
//   25,000    1024   4096               286.8          454.1         374.7
//    4,096     512   2048                18.9           34.9          27.6
// Slower are blocks alone (128.4 µs), no call into the L2 cache (133.0), and a second consumer that
// stays one to three steps behind the first, for one to multiply while the other writes (126 to
// 127). Of the latter's time H is 18 µs and what follows the products 25: neither is hidden whole.
#pragma once

#include "yona/backend/cuda/early_launch.cuh"
#include "yona/backend/cuda/relu_gradient_epilogue.cuh"
#include "yona/backend/cuda/stage_ring.cuh"

namespace yona::cuda {

#ifdef YONA_HOPPER

namespace relu_gradient {

using Ring = StageRing<Tile>;

// The tiles of a cluster, numbered row by row of tiles so that those of one row, which share dY,
// are computed at about the same time.
struct Tiles {
  int cols = 0;
  int count = 0;
  __device__ explicit Tiles(const ReluGradient& p)
      : cols(p.cols / Tile::kCols),
        count((p.rows + Tile::kCluster * Tile::kRows - 1) / (Tile::kCluster * Tile::kRows) * cols) {
  }
  __device__ int first() const { return static_cast<int>(blockIdx.x) / Tile::kCluster; }
  __device__ int step() const { return static_cast<int>(gridDim.x) / Tile::kCluster; }
  __device__ int row(int tile, int rank) const {
    return (tile / cols * Tile::kCluster + rank) * Tile::kRows;
  }
  __device__ int col(int tile) const { return tile % cols * Tile::kCols; }
};

__device__ inline void produce(const CUtensorMap& dy, const CUtensorMap& w, const CUtensorMap& h,
                               const ReluGradient& p, Ring ring) {
  constexpr int kOwnPanels = Tile::kPanels / Tile::kCluster;
  constexpr auto kAll = static_cast<std::uint16_t>((1 << Tile::kCluster) - 1);
  const int rank = hopper::cluster_rank();
  const Tiles tiles(p);
  for (int tile = tiles.first(); tile < tiles.count; tile += tiles.step()) {
    const int row = tiles.row(tile, rank);
    const int col = tiles.col(tile);
    hopper::prefetch_tile(h, col, row);
    for (int depth = 0; depth < p.depth; depth += Tile::kDepth) {
      hopper::barrier_wait(ring.empty(), ring.parity ^ 1U);  // in all blocks of the cluster
      hopper::barrier_expect(ring.full(), Tile::kStageBytes);
      hopper::copy_in(ring.left(), dy, depth, row, ring.full());
#pragma unroll
      for (int i = 0; i < kOwnPanels; ++i) {
        const int panel = rank * kOwnPanels + i;
        hopper::copy_in_to_all(ring.right() + panel * Tile::kPanelBytes, w,
                               col + panel * Tile::kPanel, depth, ring.full(), kAll);
      }
      ring.advance();
    }
  }
}

__device__ inline void consume(const CUtensorMap& dz, const ReluGradient& p, Ring ring,
                               const Place& place) {
  const int rank = hopper::cluster_rank();
  const int lane = place.thread % 32;
  const int steps = p.depth / Tile::kDepth;
  const Tiles tiles(p);
  float sums[128] = {};
  Signs signs;
  const auto release = [&](const Ring& done) {  // the stage, here and where its copies came from
    if (lane < Tile::kCluster) {
      hopper::barrier_arrive(done.empty(), lane);
    }
    __syncwarp();
  };
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

// To be launched in clusters of kCluster blocks.
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
      hopper::barrier_init(ring.barriers + (Tile::kStages + stage) * 8, Tile::kConsumerWarps);
    }
    hopper::fence_barrier_init();
    hopper::prefetch_map(dy);
    hopper::prefetch_map(w);
    hopper::prefetch_map(dz);
  }
  hopper::cluster_sync();
  wait_for_the_one_in_front();
  if (group == 0) {
    hopper::give_registers<40>();
    if (threadIdx.x == 0) {
      relu_gradient::produce(dy, w, h, p, ring);
    }
  } else {
    hopper::take_registers<232>();
    const int consumer = group - 1;
    const relu_gradient::Place place{
        shared + Tile::kOutAt + consumer * 2 * Tile::kOutBytes,
        reinterpret_cast<float*>(shared + Tile::kSumsAt + consumer * Tile::kSumBytes), consumer,
        static_cast<int>(threadIdx.x) % hopper::kWarpgroup};
    relu_gradient::consume(dz, p, ring, place);
  }
  hopper::cluster_sync();  // no block ends while another may arrive at its barriers
#endif
}

}  // namespace yona::cuda
