// Weight-stationary products for Hopper: what kernels whose weights stay in registers share.
//
//   X [rows, depth] · W [depth, cols], both bf16 and row-major, depth at most 512 (TMA fills up
//   with zeros), cols a multiple of 256. W may be given as [cols, depth] instead.
//
// Computed as Wᵀ Xᵀ, warp-specialised. A block has 128 columns, 64 for each of its two consumer
// warpgroups, and tiles of 128 rows, one after another. A consumer keeps its columns of W, of the
// whole depth, in registers as A operands. Rows of X are B operands: a producer thread issues TMA
// copies into a ring of stages, each of one or two slices 64 deep. So shared memory is read for X
// alone. Consumers ping-pong: one runs its epilogue while the other multiplies. The two blocks of a
// cluster have neighbouring columns, and each multicasts half of the rows to both.
//
// Lane l of a consumer's warp w has, as sums[4 j + 2 half + e], column 16 w + l / 4 + 8 half of the
// consumer's and row 8 j + 2 (l % 4) + e of the tile: two columns, and 32 rows of them.
#pragma once

#include "yona/backend/cuda/common/dependent_launch.cuh"
#include "yona/backend/cuda/gemm/stage_ring.cuh"
#include "yona/backend/cuda/gemm/stationary_tiles.cuh"
#include "yona/backend/cuda/gemm/wgmma.cuh"

namespace yona::cuda {

// Steps in depth, of a stage each: 8, or 4 where that is enough or stages have two slices. What a
// kernel's own shape may set otherwise: W as [cols, depth], and a turn that is given before the
// last stage but one is waited for.
template <int kStepsOf, int kSlicesOf = 1>
struct StationaryShape {
  static constexpr bool kWeightRows = false;
  static constexpr bool kEarlyHandOver = false;
  static constexpr int kSteps = kStepsOf;
  static constexpr int kSlices = kSlicesOf;
  static constexpr int kRows = 128;  // of a tile
  static constexpr int kConsumerCols = 64;
  static constexpr int kCols = 2 * kConsumerCols;
  static constexpr int kDepth = 64;  // of a slice
  static constexpr int kCluster = 2;
  static constexpr int kClusterCols = kCluster * kCols;
  static constexpr int kThreads = 3 * hopper::kWarpgroup;
  static constexpr int kStages = 12 / kSlices;
  static constexpr int kSliceBytes = kRows * kDepth * 2;
  static constexpr int kStageBytes = kSlices * kSliceBytes;
  static constexpr int kPanelBytes = kDepth * kConsumerCols * 2;  // of W, in a slice of it
  // Stages, a staging buffer for each consumer's part of a tile in two pieces, and barriers: two
  // for each stage, then one for each buffer.
  static constexpr int kStagingBuffers = 2;
  static constexpr int kPieceRows = 64;
  static constexpr int kPieceBytes = kPieceRows * kConsumerCols * 2;
  static constexpr int kStagingBytes = kRows * kConsumerCols * 2;
  static constexpr int kStagingAt = kStages * kStageBytes;
  static constexpr int kBarriersAt = kStagingAt + kStagingBuffers * kStagingBytes;
  static constexpr int kStagingBarriersAt = kBarriersAt + 2 * kStages * 8;
  static constexpr int kSharedBytes = kStagingBarriersAt + kStagingBuffers * 8;
  static_assert(kSharedBytes <= 232448 && kSteps <= kStages && kSlices <= 2);
};

#ifdef YONA_HOPPER

namespace stationary {

// As hopper::load_matrices and store_matrices, but each 8×8 matrix is transposed on its way.
__device__ inline void load_transposed(std::uint32_t (&words)[4], std::uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(row)
               : "memory");
}
__device__ inline void store_transposed(std::uint32_t row, const std::uint32_t (&words)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row),
               "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
               : "memory");
}
// Where the lane's row of the first four matrices of its warp is in rows of 128 bytes as the copy
// engine lays them out: 16 rows, and the warp's 16 of 64 columns. The next 16 rows are 2048 bytes
// on.
__device__ inline std::uint32_t lane_offset() {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) % hopper::kWarpgroup / 32;
  return (lane / 16 * 8 + lane % 8) * 128 + ((2 * warp + lane / 8 % 2) ^ lane % 8) * 16;
}

template <class Shape>
using Ring = ClusterRing<Shape>;

// The first of a consumer's columns in a unit of its cluster's.
template <class Shape>
__device__ int column(int unit, int consumer) {
  return (unit * Shape::kCluster + hopper::cluster_rank()) * Shape::kCols +
         consumer * Shape::kConsumerCols;
}

// The producer's thread: stages of W whenever the unit changes, and those of X for every tile.
// before(tile) is called before the latter.
template <class Shape, class Before>
__device__ void produce(const CUtensorMap& x, const CUtensorMap& w, const StationaryTiles& tiles,
                        Ring<Shape> ring, const Before& before) {
  constexpr auto kAll = static_cast<std::uint16_t>((1 << Shape::kCluster) - 1);
  constexpr int kOwnRows = Shape::kRows / Shape::kCluster;
  const int rank = hopper::cluster_rank();
  int unit = -1;
  for (int tile = 0; tile < tiles.count; ++tile) {
    const StationaryTiles::Place place = tiles.at(tile);
    if (place.unit != unit) {
      unit = place.unit;
      const int col = column<Shape>(unit, 0);
      for (int step = 0; step < Shape::kSteps; ++step) {
        ring.begin();
#pragma unroll
        for (int slice = 0; slice < Shape::kSlices; ++slice) {
          const std::uint32_t to = ring.place() + slice * Shape::kSliceBytes;
          const int depth = (step * Shape::kSlices + slice) * Shape::kDepth;
          if constexpr (Shape::kWeightRows) {
            hopper::copy_in(to, w, depth, col, ring.full());
          } else {
            hopper::copy_in(to, w, col, depth, ring.full());
            hopper::copy_in(to + Shape::kPanelBytes, w, col + Shape::kConsumerCols, depth,
                            ring.full());
          }
        }
        ring.advance();
      }
    }
    before(tile);
    const int row = place.row * Shape::kRows + rank * kOwnRows;
    for (int step = 0; step < Shape::kSteps; ++step) {
      ring.begin();
#pragma unroll
      for (int slice = 0; slice < Shape::kSlices; ++slice) {
        hopper::copy_in_to_all(ring.place() + slice * Shape::kSliceBytes +
                                   rank * (Shape::kSliceBytes / Shape::kCluster),
                               x, (step * Shape::kSlices + slice) * Shape::kDepth, row, ring.full(),
                               kAll);
      }
      ring.advance();
    }
  }
}

// Of all products of a tile, in registers: 16 deep each.
template <class Shape>
using LeftOperands = std::uint32_t[4 * Shape::kSteps * Shape::kSlices][4];

// Where the lane's row of a product's left operand is in a slice of W by rows: 16 of them to a
// warp, 32 bytes of each to a product.
template <class Shape>
__device__ std::uint32_t row_offset(int consumer, int product) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) % hopper::kWarpgroup / 32;
  const int row = consumer * Shape::kConsumerCols + warp * 16 + lane % 16;
  return row * 128 + ((2 * product + lane / 16) ^ row % 8) * 16;
}

template <class Shape>
__device__ void load_weights(LeftOperands<Shape>& left, Ring<Shape>& ring, int consumer) {
  const std::uint32_t at = consumer * Shape::kPanelBytes + lane_offset();
  const std::uint32_t none = gridDim.z - 1;  // zero, which the compiler does not know
#pragma unroll
  for (int step = 0; step < Shape::kSteps; ++step) {
    hopper::barrier_wait(ring.full(), ring.parity);
#pragma unroll
    for (int slice = 0; slice < Shape::kSlices; ++slice) {
      const std::uint32_t from = ring.place() + slice * Shape::kSliceBytes;
      const int first = 4 * (step * Shape::kSlices + slice);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        if constexpr (Shape::kWeightRows) {
          hopper::load_matrices(left[first + k], from + row_offset<Shape>(consumer, k));
        } else {
          load_transposed(left[first + k], from + at + k * 2048);
        }
      }
    }
    // Loads are under way until something is done with them, and the stage must not be filled
    // before they have been served.
    const int of = 4 * Shape::kSlices * step;
    if constexpr (Shape::kSlices == 1) {
      ring.release((left[of][0] ^ left[of + 1][0] ^ left[of + 2][0] ^ left[of + 3][0]) & none);
    } else {
      ring.release((left[of][0] ^ left[of + 1][0] ^ left[of + 2][0] ^ left[of + 3][0] ^
                    left[of + 4][0] ^ left[of + 5][0] ^ left[of + 6][0] ^ left[of + 7][0]) &
                   none);
    }
    ring.advance();
  }
}

// Hardware barriers: by which consumers take turns, and of each consumer's own.
constexpr int kTurnBarrier = 1;
constexpr int kOwnBarrier = 3;
constexpr int kBoth = 2 * hopper::kWarpgroup;

// Consumer 1, before its first tile: the first turn is consumer 0's.
__device__ inline void give_first_turn() { hopper::arrive(kTurnBarrier, kBoth); }

// The products of a tile. Stages are given back as products are done with them, all but the last
// when the products after them are under way.
template <class Shape>
__device__ void multiply_tile(float (&sums)[64], const LeftOperands<Shape>& left, Ring<Shape>& ring,
                              int consumer, bool another) {
  hopper::meet(kTurnBarrier + consumer, kBoth);
  const auto give_turn = [&] {
    if (consumer == 0 || another) {
      hopper::arrive(kTurnBarrier + 1 - consumer, kBoth);
    }
  };
  Ring<Shape> before = ring;
#pragma unroll
  for (int step = 0; step < Shape::kSteps; ++step) {
    hopper::barrier_wait(ring.full(), ring.parity);
    const std::uint64_t b = hopper::left_operand(ring.place());
    hopper::begin_products();
#pragma unroll
    for (int k = 0; k < 4 * Shape::kSlices; ++k) {  // offsets in units of 16 bytes
      hopper::multiply_stationary(sums, left[4 * Shape::kSlices * step + k],
                                  b + k / 4 * (Shape::kSliceBytes / 16) + k % 4 * 2, step + k > 0);
    }
    hopper::commit_products();
    if (Shape::kEarlyHandOver && step + 1 == Shape::kSteps) {
      give_turn();
    }
    if (step > 0) {
      hopper::wait_products<1>();
      before.release();
    }
    before = ring;
    ring.advance();
  }
  if (!Shape::kEarlyHandOver) {
    give_turn();
  }
  hopper::wait_products<0>();
  hopper::settle(sums);
  before.release();
}

// The tiles of this block's cluster.
template <class Shape>
__device__ StationaryTiles tiles_of_cluster(int rows, int cols) {
  return {(rows + Shape::kRows - 1) / Shape::kRows, cols / Shape::kClusterCols,
          static_cast<int>(gridDim.x) / Shape::kCluster,
          static_cast<int>(blockIdx.x) / Shape::kCluster};
}

// All threads, first: initialised barriers.
template <class Shape>
__device__ void begin_block(const Ring<Shape>& ring) {
  if (threadIdx.x == 0) {
    if (ring.base % 1024 != 0) {
      __trap();
    }
    constexpr int kConsumerWarps = 8 * Shape::kCluster;
    for (int stage = 0; stage < Shape::kStages; ++stage) {
      hopper::barrier_init(ring.full() + stage * 8, 1);
      hopper::barrier_init(ring.empty() + stage * 8, kConsumerWarps);
    }
    for (int staging = 0; staging < Shape::kStagingBuffers; ++staging) {
      hopper::barrier_init(ring.base + Shape::kStagingBarriersAt + staging * 8, 1);
    }
    hopper::fence_barrier_init();
  }
  hopper::cluster_sync();
  wait_for_previous_grid();
}

// A block of a warp-specialised kernel, from its first instruction to its last: one thread of the
// first warpgroup runs produce(tiles, ring), the two others run consume(tiles, ring, consumer).
// `maps` are those that the block reads and writes through.
template <class Shape, class Produce, class Consume, class... Maps>
__device__ __forceinline__ void run_block(int rows, int cols, const Produce& produce,
                                          const Consume& consume, const Maps&... maps) {
  extern __shared__ __align__(1024) unsigned char shared[];
  const Ring<Shape> ring{hopper::shared_address(shared), 0, 0};
  const int group = static_cast<int>(threadIdx.x) / hopper::kWarpgroup;
  if (threadIdx.x == 0) {
    (hopper::prefetch_map(maps), ...);
  }
  begin_block(ring);
  const StationaryTiles tiles = tiles_of_cluster<Shape>(rows, cols);
  if (group == 0) {
    hopper::give_registers<24>();
    if (threadIdx.x == 0) {
      produce(tiles, ring);
    }
  } else {
    hopper::take_registers<240>();
    consume(tiles, ring, group - 1);
  }
  hopper::cluster_sync();  // no block ends while another may arrive at its barriers
}

}  // namespace stationary

#endif  // YONA_HOPPER

}  // namespace yona::cuda
