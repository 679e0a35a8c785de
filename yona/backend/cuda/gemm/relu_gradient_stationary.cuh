// dZ = (dY W ∘ [H > 0]) · scale and its column sums, as gemm/relu_gradient_transposed.cuh, for a
// depth of at most 512: weight-stationary (gemm/stationary.cuh).
//
// While one consumer runs its epilogue (gemm/relu_gradient_epilogue.cuh), the other multiplies. The
// tile's H is copied while its main loop runs, and was prefetched into L2 one tile before.
#pragma once

#include "yona/backend/cuda/gemm/relu_gradient_epilogue.cuh"

namespace yona::cuda {

#ifdef YONA_HOPPER

namespace relu_gradient {

template <class Gate, class Shape>
__device__ void consume(const CUtensorMap& h, const CUtensorMap& dz, const ReluGradient& p,
                        const StationaryTiles& tiles, stationary::Ring<Shape> ring, int consumer) {
  const int thread = static_cast<int>(threadIdx.x) % hopper::kWarpgroup;
  const std::uint32_t staging = ring.base + Shape::kStagingAt + consumer * Shape::kStagingBytes;
  const std::uint32_t arrived = ring.base + Shape::kStagingBarriersAt + consumer * 8;
  const auto column = [&](int unit) { return stationary::column<Shape>(unit, consumer); };
  ColumnTotals columns;
  columns.write_zeros<Shape>(p, tiles, consumer);
  if (tiles.count == 0) {
    return;
  }
  if (consumer == 1) {
    stationary::give_first_turn();
  }
  stationary::LeftOperands<Shape> weights;
  float sums[64];
  StationaryTiles::Place next = tiles.at(0);
  stationary::load_weights<Shape>(weights, ring, consumer);
  for (int tile = 0; tile < tiles.count; ++tile) {
    const StationaryTiles::Place place = next;
    const int row = place.row * Shape::kRows;
    if (thread == 0) {
      hopper::wait_copies_read<0>();
      hopper::barrier_expect(arrived, Shape::kStagingBytes);
#pragma unroll
      for (int piece = 0; piece < 2; ++piece) {
        hopper::copy_in(staging + piece * Shape::kPieceBytes, h, column(place.unit),
                        row + piece * Shape::kPieceRows, arrived);
      }
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
    hopper::barrier_wait(arrived, tile % 2);
#pragma unroll
    for (int piece = 0; piece < 2; ++piece) {
      const std::uint32_t at = staging + piece * Shape::kPieceBytes;
      end_piece<Gate>(
          [&](int i) { return pack_bf16(sums[2 * i] * p.scale, sums[2 * i + 1] * p.scale); }, piece,
          at + stationary::lane_offset(), columns.totals);
      hopper::fence_for_copies();
      hopper::meet(stationary::kOwnBarrier + consumer, hopper::kWarpgroup);
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

// To be launched in clusters of kCluster blocks. `block_h` describes H in tiles of a block's
// columns.
template <class Shape, class Activation>
__global__ void __launch_bounds__(Shape::kThreads, 1)
    relu_gradient_stationary_kernel(const __grid_constant__ CUtensorMap dy,
                                    const __grid_constant__ CUtensorMap w,
                                    const __grid_constant__ CUtensorMap h,
                                    const __grid_constant__ CUtensorMap block_h,
                                    const __grid_constant__ CUtensorMap dz, const ReluGradient p) {
#ifdef YONA_HOPPER
  using Ring = stationary::Ring<Shape>;
  const auto produce = [&](const StationaryTiles& tiles, const Ring& ring) {
    stationary::produce(dy, w, tiles, ring, [&](int tile) {
      if (tile + 1 < tiles.count) {
        const StationaryTiles::Place next = tiles.at(tile + 1);
        hopper::prefetch_tile(block_h, stationary::column<Shape>(next.unit, 0),
                              next.row * Shape::kRows);
      }
    });
  };
  const auto consume = [&](const StationaryTiles& tiles, const Ring& ring, int consumer) {
    relu_gradient::consume<relu_gradient::GateFor<Activation>>(h, dz, p, tiles, ring, consumer);
  };
  stationary::run_block<Shape>(p.rows, p.cols, produce, consume, dy, w, h, dz);
#endif
}

}  // namespace yona::cuda
