// Logits = states · Eᵀ and statistics of their rows, for Hopper: the product leaves what the
// softmax over a vocabulary needs to know of a row, so that no pass over the row is needed for it.
//
//   states [rows, depth], E [columns, depth], both bf16 and row-major, depth at most 512 (TMA fills
//   up with zeros); results as in vocabulary/epilogue.cuh.
//
// A block computes tiles of 128 × 128, warp-specialised: a producer thread issues TMA copies into a
// ring of stages, 64 deep each; two consumer warpgroups of 64 rows each use every stage. A run of
// tiles has the same rows: its first eight stages are those of the states, which a consumer then
// keeps in registers as A operands, so that shared memory is read for E alone. Consumers ping-pong:
// one runs its epilogue while the other multiplies. Blocks of a cluster have tiles below each
// other: each multicasts its part of the stages of E to all.
#pragma once

#include "yona/backend/cuda/common/dependent_launch.cuh"
#include "yona/backend/cuda/gemm/stage_ring.cuh"
#include "yona/backend/cuda/vocabulary/epilogue.cuh"
#include "yona/backend/cuda/vocabulary/tiles.cuh"

namespace yona::cuda {

// T: float or VocabularyExponentials. Clusters of two blocks are the fastest for many
// rows; of four or one, or with consumers that do not take turns, they take longer.
template <class T, int kClusterOf>
struct VocabularyShape : VocabularyTile {
  using Result = T;
  static constexpr int kCluster = kClusterOf;
  static constexpr int kBytes = std::is_same_v<T, float> ? 4 : 2;  // of a result
  static constexpr int kPieces = kCols * kBytes / 128;
  static constexpr int kPieceCols = 128 / kBytes;
  static constexpr int kStages = kBytes == 4 ? 10 : 12;
  // Stages, results of both consumers, and two barriers for each stage.
  static constexpr int kResultsAt = kStages * kStageBytes;
  static constexpr int kBarriersAt = kResultsAt + 2 * kPieces * kPieceBytes;
  static constexpr int kSharedBytes = kBarriersAt + 2 * kStages * 8;
};

#ifdef YONA_HOPPER

namespace vocabulary {

template <class Shape>
using Ring = ClusterRing<Shape>;

template <class Shape>
__device__ void produce(const CUtensorMap& states, const CUtensorMap& table,
                        const VocabularyTiles& tiles, Ring<Shape> ring) {
  constexpr int kOwnCols = Shape::kCols / Shape::kCluster;
  constexpr auto kAll = static_cast<std::uint16_t>((1 << Shape::kCluster) - 1);
  const int rank = hopper::cluster_rank();
  int unit = -1;
  for (int tile = 0; tile < tiles.count; ++tile) {
    const VocabularyTiles::Place place = tiles.at(tile);
    if (place.unit != unit) {
      unit = place.unit;
      const int row = (unit * Shape::kCluster + rank) * Shape::kRows;
      for (int step = 0; step < Shape::kSteps; ++step) {
        ring.begin();
        hopper::copy_in(ring.place(), states, step * Shape::kDepth, row, ring.full());
        ring.advance();
      }
    }
    const int col = place.col * Shape::kCols + rank * kOwnCols;
    for (int step = 0; step < Shape::kSteps; ++step) {
      ring.begin();
      const std::uint32_t to = ring.place() + rank * (Shape::kStageBytes / Shape::kCluster);
      if constexpr (Shape::kCluster == 1) {
        hopper::copy_in(to, table, step * Shape::kDepth, col, ring.full());
      } else {
        hopper::copy_in_to_all(to, table, step * Shape::kDepth, col, ring.full(), kAll);
      }
      ring.advance();
    }
  }
}

// Left operands of all products of a tile: 16 deep each.
using LeftOperands = std::uint32_t[4 * VocabularyTile::kSteps][4];

template <class Shape>
__device__ void load_states(LeftOperands& left, Ring<Shape>& ring, int consumer) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) % hopper::kWarpgroup / 32;
  const int row = consumer * Shape::kConsumerRows + warp * 16 + lane % 16;
  const std::uint32_t none = gridDim.z - 1;  // zero, which the compiler does not know
#pragma unroll
  for (int step = 0; step < Shape::kSteps; ++step) {
    hopper::barrier_wait(ring.full(), ring.parity);
    const std::uint32_t from = ring.place() + row * 128;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      hopper::load_matrices(left[4 * step + k], from + ((2 * k + lane / 16) ^ row % 8) * 16);
    }
    // Loads are under way until something is done with them, and the stage must not be filled
    // before they have been served.
    ring.release((left[4 * step][0] ^ left[4 * step + 1][0] ^ left[4 * step + 2][0] ^
                  left[4 * step + 3][0]) &
                 none);
    ring.advance();
  }
}

// Hardware barriers: by which consumers take turns, and of each consumer's own.
constexpr int kTurnBarrier = 1;
constexpr int kOwnBarrier = 3;

// The products of a tile. Stages are given back as products are done with them, all but the last
// when the products after them are under way.
template <class Shape>
__device__ void multiply_tile(float (&sums)[64], const LeftOperands& left, Ring<Shape>& ring,
                              int consumer, bool another) {
  constexpr int kBoth = 2 * hopper::kWarpgroup;
  hopper::meet(kTurnBarrier + consumer, kBoth);
  Ring<Shape> before = ring;
#pragma unroll
  for (int step = 0; step < Shape::kSteps; ++step) {
    hopper::barrier_wait(ring.full(), ring.parity);
    const std::uint64_t b = hopper::left_operand(ring.place());
    hopper::begin_products();
#pragma unroll
    for (int k = 0; k < 4; ++k) {  // offsets in units of 16 bytes
      hopper::multiply_stationary(sums, left[4 * step + k], b + k * 2, step + k > 0);
    }
    hopper::commit_products();
    if (step > 0) {
      hopper::wait_products<1>();
      before.release();
    }
    before = ring;
    ring.advance();
  }
  if (consumer == 0 || another) {
    hopper::arrive(kTurnBarrier + 1 - consumer, kBoth);
  }
  hopper::wait_products<0>();
  hopper::settle(sums);
  before.release();
}

template <class Shape>
__device__ void consume(const CUtensorMap& results, const VocabularyProblem& p,
                        const VocabularyTiles& tiles, Ring<Shape> ring, int consumer) {
  using T = typename Shape::Result;
  constexpr int kBoth = 2 * hopper::kWarpgroup;
  const int thread = static_cast<int>(threadIdx.x) % hopper::kWarpgroup;
  TilePart part{thread % 32, thread / 32, 0, 0};
  const std::uint32_t staged =
      ring.base + Shape::kResultsAt + consumer * (Shape::kPieces * Shape::kPieceBytes);
  if (tiles.count == 0) {
    return;
  }
  if (consumer == 1) {
    hopper::arrive(kTurnBarrier, kBoth);
  }
  LeftOperands left;
  float sums[64];
  float shift[2] = {};
  VocabularyTiles::Place place{-1, 0};
  VocabularyTiles::Place next = tiles.at(0);
  load_states(left, ring, consumer);
  for (int tile = 0; tile < tiles.count; ++tile) {
    const bool fresh = place.unit != next.unit;
    place = next;
    const int row = (place.unit * Shape::kCluster + hopper::cluster_rank()) * Shape::kRows +
                    consumer * Shape::kConsumerRows;
    part.first = row + part.warp * 16 + part.lane / 4;
    part.col = place.col * Shape::kCols;
    if (std::is_same_v<T, VocabularyExponentials> && fresh) {
      load_shifts(p, part, shift);
    }
    const bool another = tile + 1 < tiles.count;
    multiply_tile(sums, left, ring, consumer, another);
    if (another) {
      next = tiles.at(tile + 1);
      if (next.unit != place.unit) {
        load_states(left, ring, consumer);  // before others wait for these stages
      }
    }
    if (thread == 0) {
      hopper::wait_copies_read<0>();
    }
    hopper::meet(kOwnBarrier + consumer, hopper::kWarpgroup);
    if (part.col + Shape::kCols <= p.cols) {
      finish<false>(T{}, p, part, sums, shift, staged);
    } else {
      finish<true>(T{}, p, part, sums, shift, staged);
    }
    hopper::fence_for_copies();
    hopper::meet(kOwnBarrier + consumer, hopper::kWarpgroup);
    if (thread == 0 && row < p.rows) {
#pragma unroll
      for (int piece = 0; piece < Shape::kPieces; ++piece) {
        hopper::copy_out(results, part.col + piece * Shape::kPieceCols, row,
                         staged + piece * Shape::kPieceBytes);
      }
    }
  }
  if (thread == 0) {
    hopper::wait_copies_out();
  }
}

}  // namespace vocabulary

#endif  // YONA_HOPPER

// To be launched in clusters of kCluster blocks, with no more clusters than tiles of clusters.
template <class Shape>
__global__ void __launch_bounds__(Shape::kThreads, 1)
    vocabulary_product_kernel(const __grid_constant__ CUtensorMap states,
                              const __grid_constant__ CUtensorMap table,
                              const __grid_constant__ CUtensorMap results,
                              const VocabularyProblem p) {
#ifdef YONA_HOPPER
  extern __shared__ __align__(1024) unsigned char shared[];
  const vocabulary::Ring<Shape> ring{hopper::shared_address(shared), 0, 0};
  const int group = static_cast<int>(threadIdx.x) / hopper::kWarpgroup;
  constexpr int kConsumerWarps = 8;
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < Shape::kStages; ++stage) {
      hopper::barrier_init(ring.full() + stage * 8, 1);
      hopper::barrier_init(ring.empty() + stage * 8, kConsumerWarps * Shape::kCluster);
    }
    hopper::fence_barrier_init();
    hopper::prefetch_map(states);
    hopper::prefetch_map(table);
    hopper::prefetch_map(results);
  }
  hopper::cluster_sync();
  wait_for_previous_grid();
  const VocabularyTiles tiles(p, Shape::kCluster * Shape::kRows,
                              static_cast<int>(gridDim.x) / Shape::kCluster,
                              static_cast<int>(blockIdx.x) / Shape::kCluster);
  if (group == 0) {
    hopper::give_registers<24>();
    if (threadIdx.x == 0) {
      vocabulary::produce(states, table, tiles, ring);
    }
  } else {
    hopper::take_registers<240>();
    vocabulary::consume(results, p, tiles, ring, group - 1);
  }
  hopper::cluster_sync();  // no block ends while another may arrive at its barriers
#endif
}

}  // namespace yona::cuda
