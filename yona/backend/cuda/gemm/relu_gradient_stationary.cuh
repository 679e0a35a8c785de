// dZ = (dY W ∘ [H > 0]) · scale and its column sums, as gemm/relu_gradient_transposed.cuh, for a
// depth of at most 512: a product whose weights stay in registers (gemm/stationary.cuh).
//
// While a consumer masks and adds up its tile (gemm/relu_gradient_epilogue.cuh), the other
// multiplies. The tile's H is on its way while its products run, and was called into the L2 cache a
// tile before.
//
// On an H200, in µs, buffers in rotation, and with the slices added up:
//     rows   depth   cols   cuBLASLt's product alone   weights not held   this kernel
//   25,000     512   2048                       95.6      123.8   133.2   87.8   90.8
//    4,096     512   2048                       17.0       24.3    27.3   19.8   22.6
// With two rooms for H in turn, and so ten stages instead of twelve, the first takes 92.2 (90.7
// with H called into the L2 cache two tiles before). Of these, without H and stores 81.9 are left;
// they become 91.2 with blocks alone, 92.3 where H is to leave the L2 cache first, and 99.4 where
// consumers do not take turns.
#pragma once

#include "yona/backend/cuda/gemm/relu_gradient_epilogue.cuh"

namespace yona::cuda {

#ifdef YONA_HOPPER

namespace relu_gradient {

template <class Shape>
__device__ void consume(const CUtensorMap& h, const CUtensorMap& dz, const ReluGradient& p,
                        const HeldTiles& tiles, held::Ring<Shape> ring, int consumer) {
  const int thread = static_cast<int>(threadIdx.x) % hopper::kWarpgroup;
  const std::uint32_t room = ring.base + Shape::kRoomsAt + consumer * Shape::kRoomBytes;
  const std::uint32_t arrived = ring.base + Shape::kRoomBarriersAt + consumer * 8;
  const auto column = [&](int unit) { return held::column<Shape>(unit, consumer); };
  ColumnTotals columns;
  columns.write_zeros<Shape>(p, tiles, consumer);
  if (tiles.count == 0) {
    return;
  }
  if (consumer == 1) {
    held::give_first_turn();
  }
  held::Held<Shape> weights;
  float sums[64];
  HeldTiles::Place next = tiles.at(0);
  held::hold_weights<Shape>(weights, ring, consumer);
  for (int tile = 0; tile < tiles.count; ++tile) {
    const HeldTiles::Place place = next;
    const int row = place.row * Shape::kRows;
    if (thread == 0) {
      hopper::wait_copies_read<0>();
      hopper::barrier_expect(arrived, Shape::kRoomBytes);
#pragma unroll
      for (int piece = 0; piece < 2; ++piece) {
        hopper::copy_in(room + piece * Shape::kPieceBytes, h, column(place.unit),
                        row + piece * Shape::kPieceRows, arrived);
      }
    }
    __syncwarp();
    const bool another = tile + 1 < tiles.count;
    held::multiply_tile<Shape>(sums, weights, ring, consumer, another);
    bool fresh = false;
    if (another) {
      next = tiles.at(tile + 1);
      fresh = next.unit != place.unit;
      if (fresh) {
        held::hold_weights<Shape>(weights, ring, consumer);  // before others wait for these stages
      }
    }
    hopper::barrier_wait(arrived, tile % 2);
#pragma unroll
    for (int piece = 0; piece < 2; ++piece) {
      const std::uint32_t at = room + piece * Shape::kPieceBytes;
      end_piece([&](int i) { return pack_bf16(sums[2 * i] * p.scale, sums[2 * i + 1] * p.scale); },
                piece, at + held::lane_offset(), columns.totals);
      hopper::fence_for_copies();
      hopper::meet(held::kOwnBarrier + consumer, hopper::kWarpgroup);
      if (thread == 0 && row + piece * Shape::kPieceRows < p.rows) {
        hopper::copy_out(dz, column(place.unit), row + piece * Shape::kPieceRows, at);
      }
    }
    if (fresh || !another) {
      columns.write(p, tiles.slice, column(place.unit));
    }
  }
  if (thread == 0) {
    hopper::wait_copies_out();
  }
}

}  // namespace relu_gradient

#endif  // YONA_HOPPER

// To be launched in clusters of kCluster blocks. `whole` describes H in tiles of a block's columns.
template <class Shape>
__global__ void __launch_bounds__(Shape::kThreads, 1)
    relu_gradient_held_kernel(const __grid_constant__ CUtensorMap dy,
                              const __grid_constant__ CUtensorMap w,
                              const __grid_constant__ CUtensorMap h,
                              const __grid_constant__ CUtensorMap whole,
                              const __grid_constant__ CUtensorMap dz, const ReluGradient p) {
#ifdef YONA_HOPPER
  extern __shared__ __align__(1024) unsigned char shared[];
  const held::Ring<Shape> ring{hopper::shared_address(shared), 0, 0};
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
      held::produce(dy, w, tiles, ring, [&](int tile) {
        if (tile + 1 < tiles.count) {
          const HeldTiles::Place next = tiles.at(tile + 1);
          hopper::prefetch_tile(whole, held::column<Shape>(next.unit, 0), next.row * Shape::kRows);
        }
      });
    }
  } else {
    hopper::take_registers<240>();
    relu_gradient::consume(h, dz, p, tiles, ring, group - 1);
  }
  hopper::cluster_sync();  // no block ends while another may arrive at its barriers
#endif
}

}  // namespace yona::cuda
