// dZ = (dY W ∘ [H > 0]) · scale and its column sums, for Hopper: a product whose end is the
// gradient behind relu and dropout, so that dY W never goes to memory and back.
//
//   dY [rows, depth], W [depth, cols], H and dZ [rows, cols], all bf16 and row-major; depth a
//   multiple of 64, cols of 256. Column sums are of dZ as rounded.
//
// It is formed turned (gemm/transposed.cuh), and masked and added up beside the next tile's
// products (gemm/relu_gradient_epilogue.cuh). H of a piece comes into its room when the piece
// before has left.
//
// On an H200, in µs, sustained, buffers in rotation, two rounds; without adding the slices up, of
// which there are 6 in the first (up to 512 deep, gemm/relu_gradient_stationary.cuh is faster):
//     rows   depth   cols   cuBLASLt's product alone   this kernel
//   25,000    1024   4096                324.3 328.9   330.2 324.9
//   25,000     768   3072                201.4 205.9   198.5 192.4
// Tiles of 128 rows and 256 columns that were ended after their products, H's signs having been
// gathered beside these, took 397.5 374.1 and 229.6 226.3. Of this kernel's 327.6 H is 20 and dZ
// 17; 292 are left without both. As fast are consumers half a step apart (322.9 329.4) and, with 48
// bytes spilled, tiles that are not turned (331.9 322.0); slower are consumers a step apart (336.3
// 330.0), H called into the L2 cache when a tile's products begin (342.8 333.9) or are half done
// (338.2 336.7), and both consumers' pieces at the same steps (324.1 335.6).
#pragma once

#include "yona/backend/cuda/gemm/relu_gradient_epilogue.cuh"
#include "yona/backend/cuda/gemm/transposed.cuh"

namespace yona::cuda {

#ifdef YONA_HOPPER

namespace relu_gradient {

// How a tile of gemm/transposed.cuh ends.
struct TurnedEnd {
  const CUtensorMap& h;
  const ReluGradient& p;
  int slice = 0;
  ColumnTotals columns;

  __device__ void round(std::uint32_t (&rounded)[64], const float (&sums)[128], int /*col*/) const {
    if (p.scale == 1.0F) {
#pragma unroll
      for (int i = 0; i < 64; ++i) {
        rounded[i] = pack_bf16(sums[2 * i], sums[2 * i + 1]);
      }
    } else {
#pragma unroll
      for (int i = 0; i < 64; ++i) {
        rounded[i] = pack_bf16(sums[2 * i] * p.scale, sums[2 * i + 1] * p.scale);
      }
    }
  }
  __device__ void fill(std::uint32_t room, std::uint32_t ready, int col, int row) const {
    hopper::barrier_expect(ready, TurnedShape::kRoomBytes);
    hopper::copy_in(room, h, col, row, ready);
  }
  __device__ void put(const std::uint32_t (&rounded)[64], int piece, std::uint32_t at) {
    end_piece([&](int i) { return rounded[i]; }, piece, at, columns.totals);
  }
  __device__ void leave(int col) { columns.write(p, slice, col); }
};

}  // namespace relu_gradient

#endif  // YONA_HOPPER

// To be launched in clusters of kCluster blocks.
__global__ void __launch_bounds__(TurnedShape::kThreads, 1)
    relu_gradient_product_kernel(const __grid_constant__ CUtensorMap dy,
                                 const __grid_constant__ CUtensorMap w,
                                 const __grid_constant__ CUtensorMap h,
                                 const __grid_constant__ CUtensorMap dz, const ReluGradient p,
                                 const int depth) {
#ifdef YONA_HOPPER
  using Shape = TurnedShape;
  extern __shared__ __align__(1024) unsigned char shared[];
  const ClusterRing<Shape> ring{hopper::shared_address(shared), 0, 0};
  const int group = static_cast<int>(threadIdx.x) / hopper::kWarpgroup;
  if (threadIdx.x == 0) {
    hopper::prefetch_map(dy);
    hopper::prefetch_map(w);
    hopper::prefetch_map(h);
    hopper::prefetch_map(dz);
  }
  held::begin_block(ring);
  const HeldTiles tiles = held::tiles_of_cluster<Shape>(p.rows, p.cols);
  if (group == 0) {
    hopper::give_registers<24>();
    if (threadIdx.x == 0) {
      turned::produce(dy, w, depth, tiles, ring);
    }
  } else {
    hopper::take_registers<240>();
    const int consumer = group - 1;
    relu_gradient::TurnedEnd end{h, p, tiles.slice, {}};
    end.columns.write_zeros<Shape>(p, tiles, consumer);
    turned::consume(dz, depth, tiles, ring, consumer, end);
  }
  hopper::cluster_sync();  // no block ends while another may arrive at its barriers
#endif
}

}  // namespace yona::cuda
