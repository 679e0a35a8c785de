// dZ = (dY W ∘ [H > 0]) · scale and its column sums, for Hopper: the gradient of relu and dropout
// in the epilogue of a product, so that dY W never goes to memory and back. Or dZ = dY W ∘
// gelu'(H).
//
//   dY [rows, depth], W [depth, cols], H and dZ [rows, cols], all bf16 and row-major; depth a
//   multiple of 64, cols of 256. Column sums are of dZ as rounded.
//
// Computed transposed (gemm/transposed.cuh); the epilogue (gemm/relu_gradient_epilogue.cuh)
// overlaps the next tile's main loop. H of a piece is copied into its staging buffer when the piece
// before it has left. Up to 512 deep, gemm/relu_gradient_stationary.cuh is faster.
#pragma once

#include "yona/backend/cuda/gemm/relu_gradient_epilogue.cuh"
#include "yona/backend/cuda/gemm/transposed.cuh"

namespace yona::cuda {

#ifdef YONA_HOPPER

namespace relu_gradient {

// How a tile of gemm/transposed.cuh ends.
template <class Gate>
struct TransposedEpilogue {
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
  __device__ void fill(std::uint32_t staging, std::uint32_t ready, int col, int row) const {
    hopper::barrier_expect(ready, TransposedShape::kStagingBytes);
    hopper::copy_in(staging, h, col, row, ready);
  }
  __device__ void put(const std::uint32_t (&rounded)[64], int piece, std::uint32_t at) {
    end_piece<Gate>([&](int i) { return rounded[i]; }, piece, at, columns.totals);
  }
  __device__ void leave(int col) { columns.write(p, slice, col); }
};

}  // namespace relu_gradient

#endif  // YONA_HOPPER

// To be launched in clusters of kCluster blocks.
template <class Activation>
__global__ void __launch_bounds__(TransposedShape::kThreads, 1)
    relu_gradient_product_kernel(const __grid_constant__ CUtensorMap dy,
                                 const __grid_constant__ CUtensorMap w,
                                 const __grid_constant__ CUtensorMap h,
                                 const __grid_constant__ CUtensorMap dz, const ReluGradient p,
                                 const int depth) {
#ifdef YONA_HOPPER
  using Shape = TransposedShape;
  using Ring = stationary::Ring<Shape>;
  const auto produce = [&](const StationaryTiles& tiles, const Ring& ring) {
    transposed::produce(dy, w, depth, tiles, ring);
  };
  const auto consume = [&](const StationaryTiles& tiles, const Ring& ring, int consumer) {
    relu_gradient::TransposedEpilogue<relu_gradient::GateFor<Activation>> end{
        h, p, tiles.slice, {}};
    end.columns.template write_zeros<Shape>(p, tiles, consumer);
    transposed::consume(dz, depth, tiles, ring, consumer, end);
  };
  stationary::run_block<Shape>(p.rows, p.cols, produce, consume, dy, w, h, dz);
#endif
}

}  // namespace yona::cuda
