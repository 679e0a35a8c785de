// Epilogue of products with the gradient of an activation (gemm/relu_gradient_stationary.cuh and
// gemm/relu_gradient_transposed.cuh): H gates the sums, which are also added up by columns. Behind
// relu, H is its output and masks them; behind GELU, H is its input, whose slope they are
// multiplied with.
//
// TMA brings H into the staging buffer that dZ leaves from. Each 8×8 matrix of it is loaded
// transposed, which gives a lane exactly the elements of its sums; gated and rounded, these are
// stored transposed where H was.
//
// A lane has two columns: their sums stay in two registers while the cluster keeps its columns, and
// are one slice (StationaryTiles). The order of additions depends on sizes and on how many clusters
// fit on the GPU, and on nothing else.
#pragma once

#include <cuda_bf16.h>

#include "yona/backend/cuda/common/bf16_pair.cuh"
#include "yona/backend/cuda/common/gelu.cuh"
#include "yona/backend/cuda/gemm/stationary.cuh"

namespace yona::cuda {

// Which activation a kernel is compiled for; Gelu and GeluTanh are the others.
struct Relu {};

struct ReluGradient {
  float* partials = nullptr;  // [slices, cols], or nothing
  int rows = 0;
  int cols = 0;
  float scale = 1.0F;
};

#ifdef YONA_HOPPER

namespace relu_gradient {

// Gates: two sums, rounded to bf16, and the two elements of H in their places.
struct ReluGate {
  __device__ static std::uint32_t apply(std::uint32_t sums, std::uint32_t h) {
    return sums & __hgt2_mask(*reinterpret_cast<const __nv_bfloat162*>(&h), __nv_bfloat162{});
  }
};

template <class Function>
struct SlopeGate {
  __device__ static std::uint32_t apply(std::uint32_t sums, std::uint32_t h) {
    return pack_bf16(
        __uint_as_float(sums << 16U) * Function::slope(__uint_as_float(h << 16U)),
        __uint_as_float(sums & 0xFFFF0000U) * Function::slope(__uint_as_float(h & 0xFFFF0000U)));
  }
};

template <class Activation>
struct GateFor : SlopeGate<typename ComputedAs<Activation, __nv_bfloat16>::Type> {};
template <>
struct GateFor<Relu> : ReluGate {};

// 64 rows of a tile: H in the staging buffer becomes dZ, and is added up by columns. rounded(i) is
// sums 2 i and 2 i + 1 of the tile's.
template <class Gate, class Rounded>
__device__ void end_piece(const Rounded& rounded, int piece, std::uint32_t at, float (&totals)[2]) {
  std::uint32_t h[4][4];
#pragma unroll
  for (int pair = 0; pair < 4; ++pair) {  // all loads first, for stores must stay behind them
    stationary::load_transposed(h[pair], at + pair * 2048);
  }
#pragma unroll
  for (int pair = 0; pair < 4; ++pair) {  // of matrices: 16 rows
    std::uint32_t words[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      words[k] = Gate::apply(rounded(2 * (8 * piece + 2 * pair + k / 2) + k % 2), h[pair][k]);
      totals[k % 2] += __uint_as_float(words[k] << 16U) + __uint_as_float(words[k] & 0xFFFF0000U);
    }
    stationary::store_transposed(at + pair * 2048, words);
  }
}

// Sums of a consumer's columns over what its cluster has of them.
struct ColumnTotals {
  float totals[2] = {};

  // What is there goes to the cluster's slice, and the next columns begin.
  __device__ void write(const ReluGradient& p, int slice, int col) {
    const int thread = static_cast<int>(threadIdx.x) % hopper::kWarpgroup;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float total = totals[half];
      total += __shfl_xor_sync(0xFFFFFFFFU, total, 1);
      total += __shfl_xor_sync(0xFFFFFFFFU, total, 2);
      if (thread % 4 == 0 && p.partials != nullptr) {
        p.partials[static_cast<std::int64_t>(slice) * p.cols + col + thread / 32 * 16 + half * 8 +
                   thread % 32 / 4] = total;
      }
      totals[half] = 0.0F;
    }
  }
  // Before anything is added: zeros for what the cluster has a slice for, and no tile of.
  template <class Shape>
  __device__ void write_zeros(const ReluGradient& p, const StationaryTiles& tiles, int consumer) {
    if (tiles.shares) {
      const int from = tiles.count > 0 ? tiles.at(0).unit : tiles.units;
      const int to = tiles.count > 0 ? tiles.at(tiles.count - 1).unit : tiles.units;
      for (int unit = 0; unit < tiles.units; ++unit) {
        if (unit < from || unit > to) {
          write(p, tiles.slice, stationary::column<Shape>(unit, consumer));
        }
      }
    } else if (tiles.count == 0) {
      write(p, tiles.slice, stationary::column<Shape>(tiles.unit, consumer));
    }
  }
};

}  // namespace relu_gradient

#endif  // YONA_HOPPER

}  // namespace yona::cuda
