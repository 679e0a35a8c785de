// Y = X Wᵀ + bias, bf16, with or without relu, for a depth of at most 512: weight-stationary
// (gemm/stationary.cuh).
//
// The epilogue applies bias and relu to a lane's sums, rounds them once and stores them transposed
// in the staging buffer that TMA reads, while the other consumer multiplies. The next tile's rows
// of X are prefetched into L2 one tile ahead; clusters of one range take a share of them each.
#pragma once

#include "yona/backend/cuda/gemm/linear_epilogue.cuh"

namespace yona::cuda {

struct StationaryLinearShape : StationaryShape<4, 2> {
  static constexpr bool kWeightRows = true;
  static constexpr bool kEarlyHandOver = true;
};

#ifdef YONA_HOPPER

namespace stationary_linear {

using Shape = StationaryLinearShape;

// 64 rows of a tile, into the staging buffer.
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
    stationary::store_transposed(at + pair * 2048, words);
  }
}

template <bool kRelu>
__device__ void consume(const CUtensorMap& y, const Linear& p, const StationaryTiles& tiles,
                        stationary::Ring<Shape> ring, int consumer) {
  const int thread = static_cast<int>(threadIdx.x) % hopper::kWarpgroup;
  const std::uint32_t staging = ring.base + Shape::kStagingAt + consumer * Shape::kStagingBytes;
  const auto column = [&](int unit) { return stationary::column<Shape>(unit, consumer); };
  if (tiles.count == 0) {
    return;
  }
  if (consumer == 1) {
    stationary::give_first_turn();
  }
  stationary::LeftOperands<Shape> weights;
  float sums[64];
  float bias[2];
  StationaryTiles::Place next = tiles.at(0);
  linear::load_bias(bias, p, column(next.unit));
  stationary::load_weights<Shape>(weights, ring, consumer);
  for (int tile = 0; tile < tiles.count; ++tile) {
    const StationaryTiles::Place place = next;
    const int row = place.row * Shape::kRows;
    if (thread == 0) {
      hopper::wait_copies_read<0>();  // the others learn of it when they meet for the turn
    }
    __syncwarp();
    const bool another = tile + 1 < tiles.count;
    stationary::multiply_tile<Shape>(sums, weights, ring, consumer, another);
    bool fresh = false;
    if (another) {
      next = tiles.at(tile + 1);
      fresh = next.unit != place.unit;
      if (fresh) {
        stationary::load_weights<Shape>(weights, ring,
                                        consumer);  // before others wait for these stages
      }
    }
#pragma unroll
    for (int piece = 0; piece < 2; ++piece) {
      end_piece<kRelu>(sums, piece,
                       staging + piece * Shape::kPieceBytes + stationary::lane_offset(), bias);
    }
    hopper::fence_for_copies();
    hopper::meet(stationary::kOwnBarrier + consumer, hopper::kWarpgroup);
    if (thread == 0) {
      for (int piece = 0; piece < 2; ++piece) {  // rows after the last are not written
        hopper::copy_out(y, column(place.unit), row + piece * Shape::kPieceRows,
                         staging + piece * Shape::kPieceBytes);
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

}  // namespace stationary_linear

#endif  // YONA_HOPPER

// To be launched in clusters of kCluster blocks. W is [cols, depth].
template <bool kRelu>
__global__ void __launch_bounds__(StationaryLinearShape::kThreads, 1)
    stationary_linear_kernel(const __grid_constant__ CUtensorMap x,
                             const __grid_constant__ CUtensorMap w,
                             const __grid_constant__ CUtensorMap y, const Linear p) {
#ifdef YONA_HOPPER
  using Shape = StationaryLinearShape;
  using Ring = stationary::Ring<Shape>;
  const auto produce = [&](const StationaryTiles& tiles, const Ring& ring) {
    const int half = hopper::cluster_rank() * (Shape::kRows / Shape::kCluster);
    stationary::produce(x, w, tiles, ring, [&](int tile) {
      if (tile + 1 < tiles.count) {
        constexpr int kSlices = Shape::kSteps * Shape::kSlices;
        const StationaryTiles::Place next = tiles.at(tile + 1);
        const int apart = tiles.units < kSlices ? tiles.units : kSlices;
        for (int slice = next.unit % apart; slice < kSlices; slice += apart) {
          hopper::prefetch_tile(x, slice * Shape::kDepth, next.row * Shape::kRows + half);
        }
      }
    });
  };
  const auto consume = [&](const StationaryTiles& tiles, const Ring& ring, int consumer) {
    stationary_linear::consume<kRelu>(y, p, tiles, ring, consumer);
  };
  stationary::run_block<Shape>(p.rows, p.cols, produce, consume, x, w, y);
#endif
}

}  // namespace yona::cuda
