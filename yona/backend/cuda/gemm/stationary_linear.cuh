// Y = X Wᵀ + bias, bf16, with or without relu, for a depth of at most 512: a product whose weights
// stay in registers (gemm/stationary.cuh).
//
// Bias and relu are applied to a lane's sums, which are rounded once and stored transposed in the
// room that the copy engine fetches them from. While that is done, the other consumer multiplies.
// The next tile's rows of X are called into the L2 cache a tile before: clusters of one range have
// a share of them each.
//
// On an H200, in µs, buffers in rotation, depth 512, beside the best of cuBLASLt's eight:
//     rows   cols               cuBLASLt   this kernel
//   25,000   2048   with relu       95.1          73.6
//   25,000   1536                   70.7          56.6
//   25,000   1024                   48.5          40.4
//   25,000    512                   26.1          24.8
//    4,096   2048   with relu       18.0          16.9
// The first of these takes 76.1 with stages of one slice, turns given after the wait and nothing
// called; 75.6 with stages of two slices alone and 75.1 with the others alone; 77.8 with two rooms
// in turn, 75.4 with blocks alone, 86.2 with clusters of four and 86.5 where consumers do not take
// turns. Without stores 71.8 are left.
#pragma once

#include "yona/backend/cuda/gemm/linear_epilogue.cuh"

namespace yona::cuda {

struct HeldLinearShape : HeldShape<4, 2> {
  static constexpr bool kWeightRows = true;
  static constexpr bool kEarlyTurn = true;
};

#ifdef YONA_HOPPER

namespace held_linear {

using Shape = HeldLinearShape;

// 64 rows of a tile, into the room.
template <bool kRelu>
__device__ void end_piece(const float (&sums)[64], int piece, std::uint32_t at,
                          const float (&bias)[2]) {
#pragma unroll
  for (int pair = 0; pair < 4; ++pair) {  // of matrices: 16 rows
    std::uint32_t words[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int i = 4 * (8 * piece + 2 * pair + k / 2) + 2 * (k % 2);
      __nv_bfloat162 two = __floats2bfloat162_rn(sums[i] + bias[k % 2], sums[i + 1] + bias[k % 2]);
      if constexpr (kRelu) {
        two = __hmax2_nan(two, __nv_bfloat162{});
      }
      words[k] = *reinterpret_cast<const std::uint32_t*>(&two);
    }
    held::store_transposed(at + pair * 2048, words);
  }
}

template <bool kRelu>
__device__ void consume(const CUtensorMap& y, const Linear& p, const HeldTiles& tiles,
                        held::Ring<Shape> ring, int consumer) {
  const int thread = static_cast<int>(threadIdx.x) % hopper::kWarpgroup;
  const std::uint32_t room = ring.base + Shape::kRoomsAt + consumer * Shape::kRoomBytes;
  const auto column = [&](int unit) { return held::column<Shape>(unit, consumer); };
  if (tiles.count == 0) {
    return;
  }
  if (consumer == 1) {
    held::give_first_turn();
  }
  held::Held<Shape> weights;
  float sums[64];
  float bias[2];
  HeldTiles::Place next = tiles.at(0);
  linear::load_bias(bias, p, column(next.unit));
  held::hold_weights<Shape>(weights, ring, consumer);
  for (int tile = 0; tile < tiles.count; ++tile) {
    const HeldTiles::Place place = next;
    const int row = place.row * Shape::kRows;
    if (thread == 0) {
      hopper::wait_copies_read<0>();  // the others learn of it when they meet for the turn
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
#pragma unroll
    for (int piece = 0; piece < 2; ++piece) {
      end_piece<kRelu>(sums, piece, room + piece * Shape::kPieceBytes + held::lane_offset(), bias);
    }
    hopper::fence_for_copies();
    hopper::meet(held::kOwnBarrier + consumer, hopper::kWarpgroup);
    if (thread == 0) {
      for (int piece = 0; piece < 2; ++piece) {  // rows after the last are not written
        hopper::copy_out(y, column(place.unit), row + piece * Shape::kPieceRows,
                         room + piece * Shape::kPieceBytes);
      }
    }
    if (fresh) {
      linear::load_bias(bias, p, column(next.unit));
    }
  }
  if (thread == 0) {
    hopper::wait_copies_out();
  }
}

}  // namespace held_linear

#endif  // YONA_HOPPER

// To be launched in clusters of kCluster blocks. W is [cols, depth].
template <bool kRelu>
__global__ void __launch_bounds__(HeldLinearShape::kThreads, 1)
    held_linear_kernel(const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap w,
                       const __grid_constant__ CUtensorMap y, const Linear p) {
#ifdef YONA_HOPPER
  using Shape = HeldLinearShape;
  extern __shared__ __align__(1024) unsigned char shared[];
  const held::Ring<Shape> ring{hopper::shared_address(shared), 0, 0};
  const int group = static_cast<int>(threadIdx.x) / hopper::kWarpgroup;
  if (threadIdx.x == 0) {
    hopper::prefetch_map(x);
    hopper::prefetch_map(w);
    hopper::prefetch_map(y);
  }
  held::begin_block(ring);
  const HeldTiles tiles = held::tiles_of_cluster<Shape>(p.rows, p.cols);
  if (group == 0) {
    hopper::give_registers<24>();
    if (threadIdx.x == 0) {
      const int half = hopper::cluster_rank() * (Shape::kRows / Shape::kCluster);
      held::produce(x, w, tiles, ring, [&](int tile) {
        if (tile + 1 < tiles.count) {
          constexpr int kSlices = Shape::kSteps * Shape::kSlices;
          const HeldTiles::Place next = tiles.at(tile + 1);
          const int apart = tiles.units < kSlices ? tiles.units : kSlices;
          for (int slice = next.unit % apart; slice < kSlices; slice += apart) {
            hopper::prefetch_tile(x, slice * Shape::kDepth, next.row * Shape::kRows + half);
          }
        }
      });
    }
  } else {
    hopper::take_registers<240>();
    held_linear::consume<kRelu>(y, p, tiles, ring, group - 1);
  }
  hopper::cluster_sync();  // no block ends while another may arrive at its barriers
#endif
}

}  // namespace yona::cuda
