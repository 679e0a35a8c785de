// Y = X Wᵀ + bias, bf16, with or without relu, of any depth that is a multiple of 64: computed
// transposed, the epilogue overlaps the next tile's main loop (gemm/transposed.cuh).
//
// The bias is added when a tile's sums are rounded, before which they are f32. ReLU is applied
// while a piece is copied to its staging buffer; unlike in the relu-gradient kernel, the buffer
// needs no prefetched operand. Consumers begin half a step apart. Up to 512 deep,
// gemm/stationary_linear.cuh is faster.
#pragma once

#include "yona/backend/cuda/common/bf16_pair.cuh"
#include "yona/backend/cuda/gemm/linear_epilogue.cuh"
#include "yona/backend/cuda/gemm/transposed.cuh"

namespace yona::cuda {

struct TransposedLinearShape : TransposedShape {
  static constexpr bool kWeightRows = true;
  static constexpr bool kApart = true;
};

#ifdef YONA_HOPPER

namespace linear {

// How a tile of gemm/transposed.cuh ends.
template <bool kRelu>
struct TransposedEpilogue {
  const Linear& p;
  int first = 0;  // of the columns whose bias is there
  float bias[2] = {};

  __device__ TransposedEpilogue(const Linear& of, const StationaryTiles& tiles, int consumer)
      : p(of) {
    if (tiles.count > 0) {
      first = stationary::column<TransposedLinearShape>(tiles.at(0).unit, consumer);
      load_bias(bias, p, first);
    }
  }
  __device__ void round(std::uint32_t (&rounded)[64], const float (&sums)[128], int col) {
    if (col != first) {
      first = col;
      load_bias(bias, p, col);
    }
#pragma unroll
    for (int i = 0; i < 64; ++i) {
      rounded[i] = pack_bf16(sums[2 * i] + bias[i % 2], sums[2 * i + 1] + bias[i % 2]);
    }
  }
  // Nothing is copied in, but others may write into the buffer only when this thread, which has
  // waited for the copy from it, has said so.
  __device__ void fill(std::uint32_t /*staging*/, std::uint32_t ready, int /*col*/,
                       int /*row*/) const {
    hopper::barrier_expect(ready, 0);
  }
  __device__ void put(const std::uint32_t (&rounded)[64], int piece, std::uint32_t at) const {
#pragma unroll
    for (int pair = 0; pair < 4; ++pair) {  // of matrices: 16 rows
      std::uint32_t words[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        words[k] = rounded[4 * (4 * piece + pair) + k];
        if constexpr (kRelu) {
          const __nv_bfloat162 two =
              __hmax2_nan(*reinterpret_cast<const __nv_bfloat162*>(&words[k]), __nv_bfloat162{});
          words[k] = *reinterpret_cast<const std::uint32_t*>(&two);
        }
      }
      stationary::store_transposed(at + pair * 2048, words);
    }
  }
  __device__ void leave(int /*col*/) const {}
};

}  // namespace linear

#endif  // YONA_HOPPER

// To be launched in clusters of kCluster blocks. W is [cols, depth].
template <bool kRelu>
__global__ void __launch_bounds__(TransposedLinearShape::kThreads, 1)
    transposed_linear_kernel(const __grid_constant__ CUtensorMap x,
                             const __grid_constant__ CUtensorMap w,
                             const __grid_constant__ CUtensorMap y, const Linear p,
                             const int depth) {
#ifdef YONA_HOPPER
  using Shape = TransposedLinearShape;
  using Ring = stationary::Ring<Shape>;
  const auto produce = [&](const StationaryTiles& tiles, const Ring& ring) {
    transposed::produce(x, w, depth, tiles, ring);
  };
  const auto consume = [&](const StationaryTiles& tiles, const Ring& ring, int consumer) {
    linear::TransposedEpilogue<kRelu> end(p, tiles, consumer);
    transposed::consume(y, depth, tiles, ring, consumer, end);
  };
  stationary::run_block<Shape>(p.rows, p.cols, produce, consume, x, w, y);
#endif
}

}  // namespace yona::cuda
