// dZ = (dY W ∘ [H > 0]) · scale and its column sums, as relu_gradient_product.cuh, for a depth of
// at most 512: a product whose weights stay in registers (held_product.cuh).
//
// H comes by the copy engine into the room that dZ leaves from. Each 8×8 matrix of it is loaded
// transposed, which gives a lane just the elements of its sums; masked and rounded, these are
// stored transposed where H was. While that is done, the other consumer multiplies. The tile's H is
// on its way while its products run, and was called into the L2 cache a tile before.
//
// A lane has two columns: their sums stay in two registers while the cluster keeps its columns, and
// are one slice (HeldTiles). How sums are added depends on how many clusters the GPU has room for,
// and on nothing else but sizes.
//
// On an H200, in µs, buffers in rotation, and with the slices added up:
//     rows   depth   cols   cuBLASLt's product alone   relu_gradient_product.cuh   this kernel
//   25,000     512   2048                       95.6               123.8   133.2   87.8   90.8
//    4,096     512   2048                       17.0                24.3    27.3   19.8   22.6
// With two rooms for H in turn, and so ten stages instead of twelve, the first takes 92.2 (90.7
// with H called into the L2 cache two tiles before). Of these, without H and stores 81.9 are left;
// they become 91.2 with blocks alone, 92.3 where H is to leave the L2 cache first, and 99.4 where
// consumers do not take turns.
#pragma once

#include <cuda_bf16.h>

#include "yona/backend/cuda/held_product.cuh"

namespace yona::cuda {

struct HeldReluGradient {
  float* partials = nullptr;  // [slices, cols], or nothing
  int rows = 0;
  int cols = 0;
  float scale = 1.0F;
};

#ifdef YONA_HOPPER

namespace relu_gradient {

// 64 rows of a tile: H in the room becomes dZ, and is added up by columns.
__device__ inline void end_piece(const float (&sums)[64], int piece, std::uint32_t at, float scale,
                                 float (&totals)[2]) {
  std::uint32_t h[4][4];
#pragma unroll
  for (int pair = 0; pair < 4; ++pair) {  // all loads first, for stores must stay behind them
    held::load_transposed(h[pair], at + pair * 2048);
  }
#pragma unroll
  for (int pair = 0; pair < 4; ++pair) {  // of matrices: 16 rows
    std::uint32_t words[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int i = 4 * (8 * piece + 2 * pair + k / 2) + 2 * (k % 2);
      const __nv_bfloat162 two = __floats2bfloat162_rn(sums[i] * scale, sums[i + 1] * scale);
      const auto y = *reinterpret_cast<const __nv_bfloat162*>(&h[pair][k]);
      words[k] = *reinterpret_cast<const std::uint32_t*>(&two) & __hgt2_mask(y, __nv_bfloat162{});
      totals[k % 2] += __uint_as_float(words[k] << 16U) + __uint_as_float(words[k] & 0xFFFF0000U);
    }
    held::store_transposed(at + pair * 2048, words);
  }
}

// Sums of a consumer's columns over what its cluster has of them.
template <class Shape>
struct HeldSums {
  float totals[2] = {};

  __device__ void write(const HeldReluGradient& p, int slice, int col) {
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
};

template <class Shape>
__device__ void consume(const CUtensorMap& h, const CUtensorMap& dz, const HeldReluGradient& p,
                        const HeldTiles& tiles, held::Ring<Shape> ring, int consumer) {
  const int thread = static_cast<int>(threadIdx.x) % hopper::kWarpgroup;
  const int rank = hopper::cluster_rank();
  const std::uint32_t room = ring.base + Shape::kRoomsAt + consumer * Shape::kRoomBytes;
  const std::uint32_t arrived = ring.base + Shape::kRoomBarriersAt + consumer * 8;
  const auto column = [&](int unit) {
    return (unit * Shape::kCluster + rank) * Shape::kCols + consumer * Shape::kConsumerCols;
  };
  HeldSums<Shape> sums_of_columns;
  // Zeros for what the cluster has a slice for, and no tile of.
  if (tiles.shares) {
    const int from = tiles.count > 0 ? tiles.at(0).unit : tiles.units;
    const int to = tiles.count > 0 ? tiles.at(tiles.count - 1).unit : tiles.units;
    for (int unit = 0; unit < tiles.units; ++unit) {
      if (unit < from || unit > to) {
        sums_of_columns.write(p, tiles.slice, column(unit));
      }
    }
  } else if (tiles.count == 0) {
    sums_of_columns.write(p, tiles.slice, column(tiles.unit));
  }
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
      end_piece(sums, piece, at + held::lane_offset(), p.scale, sums_of_columns.totals);
      hopper::fence_for_copies();
      hopper::meet(held::kOwnBarrier + consumer, hopper::kWarpgroup);
      if (thread == 0 && row + piece * Shape::kPieceRows < p.rows) {
        hopper::copy_out(dz, column(place.unit), row + piece * Shape::kPieceRows, at);
      }
    }
    if (fresh || !another) {
      sums_of_columns.write(p, tiles.slice, column(place.unit));
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
                              const __grid_constant__ CUtensorMap dz, const HeldReluGradient p) {
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
      const int rank = hopper::cluster_rank();
      held::produce(dy, w, tiles, ring, [&](int tile) {
        if (tile + 1 < tiles.count) {
          const HeldTiles::Place next = tiles.at(tile + 1);
          hopper::prefetch_tile(whole, (next.unit * Shape::kCluster + rank) * Shape::kCols,
                                next.row * Shape::kRows);
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
