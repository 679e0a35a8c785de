// Y = X Wᵀ + bias, bf16, with or without relu, of any depth that is a multiple of 64: a product
// that is formed turned and ends beside the next tile's products (gemm/transposed.cuh).
//
// The bias is added when a tile's sums are rounded, before which they are f32; relu is applied to a
// piece on its way into its room, where nothing has to be brought to. Consumers begin half a step
// apart.
//
// On an H200, in µs, 24,992 rows, sustained, buffers in rotation, two rounds, beside the best of
// cuBLASLt's eight, with or without room to work in (up to 512 deep, gemm/stationary_linear.cuh is
// faster):
//   depth   cols                  cuBLASLt   this kernel     not apart   X called a tile before
//    1024   4096   with relu   334.0 340.0   302.6 310.9   317.6 313.6              306.2 311.6
//    1024   3072               255.7 252.3   238.5 236.8   239.6 239.7              237.4 240.6
//    1024   2048               166.9 166.9   163.5 159.5   159.5 163.3              160.7 162.7
//    1024   1024                85.2  85.9    84.8  84.3    84.4  86.8               86.3  85.2
//    4096   1024               304.3 302.3   305.4 306.4   300.9 302.5              314.0 310.9
//     768   3072   with relu   208.5 208.4   182.5 187.4   185.5 185.1              186.9 181.2
//     768   2304               151.3 146.4   144.0 143.1   142.3 140.8              142.1 145.1
// 4,096 rows of the first take 55.4 57.1, and 57.7 56.8 by cuBLASLt. With consumers a whole step
// apart the first takes 329.4 320.9; not apart, 320.3 326.5 with sums that begin as the bias and
// 308.4 304.8 without a bias.
#pragma once

#include "yona/backend/cuda/common/bf16_pair.cuh"
#include "yona/backend/cuda/gemm/linear_epilogue.cuh"
#include "yona/backend/cuda/gemm/transposed.cuh"

namespace yona::cuda {

struct TurnedLinearShape : TurnedShape {
  static constexpr bool kWeightRows = true;
  static constexpr bool kApart = true;
};

#ifdef YONA_HOPPER

namespace linear {

// How a tile of gemm/transposed.cuh ends.
template <bool kRelu>
struct TurnedEnd {
  const Linear& p;
  int first = 0;  // of the columns whose bias is there
  float bias[2] = {};

  __device__ TurnedEnd(const Linear& of, const HeldTiles& tiles, int consumer) : p(of) {
    if (tiles.count > 0) {
      first = held::column<TurnedLinearShape>(tiles.at(0).unit, consumer);
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
  // Nothing is brought, but others may write into the room only when this thread, which has waited
  // for the copy from it, has said so.
  __device__ void fill(std::uint32_t /*room*/, std::uint32_t ready, int /*col*/,
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
      held::store_transposed(at + pair * 2048, words);
    }
  }
  __device__ void leave(int /*col*/) const {}
};

}  // namespace linear

#endif  // YONA_HOPPER

// To be launched in clusters of kCluster blocks. W is [cols, depth].
template <bool kRelu>
__global__ void __launch_bounds__(TurnedLinearShape::kThreads, 1)
    turned_linear_kernel(const __grid_constant__ CUtensorMap x,
                         const __grid_constant__ CUtensorMap w,
                         const __grid_constant__ CUtensorMap y, const Linear p, const int depth) {
#ifdef YONA_HOPPER
  using Shape = TurnedLinearShape;
  extern __shared__ __align__(1024) unsigned char shared[];
  const ClusterRing<Shape> ring{hopper::shared_address(shared), 0, 0};
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
      turned::produce(x, w, depth, tiles, ring);
    }
  } else {
    hopper::take_registers<240>();
    const int consumer = group - 1;
    linear::TurnedEnd<kRelu> end(p, tiles, consumer);
    turned::consume(y, depth, tiles, ring, consumer, end);
  }
  hopper::cluster_sync();  // no block ends while another may arrive at its barriers
#endif
}

}  // namespace yona::cuda
