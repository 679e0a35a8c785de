// Scaled exponentials of logits = states · Eᵀ and their sums, for Hopper and any depth: what
// vocabulary/product.cuh computes for depths of up to 512, whose states a block can keep.
//
//   states [rows, depth], E [columns, depth], both bf16 and row-major (TMA fills up with zeros);
//   results are VocabularyExponentials as in vocabulary/epilogue.cuh.
//
// A block computes tiles of 128 × 256, one after another, warp-specialised: a producer thread
// issues TMA copies into a ring of stages, 64 deep, of states and E; two consumer warpgroups each
// multiply 64 of the tile's rows with all of its columns. Two blocks of a cluster have tiles below
// each other, which share the columns of E: each multicasts half of them to both. Warps write their
// own 16 rows, 64 columns at a time, without synchronising with the others.
#pragma once

#include "yona/backend/cuda/vocabulary/product.cuh"

namespace yona::cuda {

struct VocabularyDeepTile {
  static constexpr int kCluster = 2;  // blocks
  static constexpr int kRows = 128;
  static constexpr int kCols = 256;
  static constexpr int kDepth = 64;  // of a stage
  static constexpr int kStages = 4;
  static constexpr int kConsumers = 2;
  static constexpr int kConsumerRows = kRows / kConsumers;
  static constexpr int kConsumerWarps = 4 * kConsumers * kCluster;  // of a cluster
  static constexpr int kThreads = (1 + kConsumers) * hopper::kWarpgroup;
  static constexpr int kLeftBytes = kRows * kDepth * 2;
  static constexpr int kStageBytes = kLeftBytes + kCols * kDepth * 2;
  // Of a warp: 128 bytes to a row. It has two, one of which is on its way to memory.
  static constexpr int kPieceRows = 16;
  static constexpr int kPieceCols = 64;
  static constexpr int kPieceBytes = kPieceRows * 128;
  static constexpr int kResultsAt = kStages * kStageBytes;
  static constexpr int kBarriersAt = kResultsAt + 4 * kConsumers * 2 * kPieceBytes;
  static constexpr int kSharedBytes = kBarriersAt + 2 * kStages * 8;
};
static_assert(VocabularyDeepTile::kSharedBytes <= 227 * 1024);

#ifdef YONA_HOPPER

namespace vocabulary_deep {

using Tile = VocabularyDeepTile;
using Ring = vocabulary::Ring<Tile>;

// The tiles of a cluster, numbered column by column of tiles, so that those which share E are
// computed at about the same time.
struct Tiles {
  int units = 0;  // of rows: a tile for each block of the cluster
  int count = 0;
  int steps = 0;  // of each
  __device__ explicit Tiles(const VocabularyProblem& p)
      : units((p.rows + Tile::kCluster * Tile::kRows - 1) / (Tile::kCluster * Tile::kRows)),
        count((p.cols + Tile::kCols - 1) / Tile::kCols * units),
        steps((p.depth + Tile::kDepth - 1) / Tile::kDepth) {}
  __device__ int first() const { return static_cast<int>(blockIdx.x) / Tile::kCluster; }
  __device__ int next(int tile) const {
    return tile + static_cast<int>(gridDim.x) / Tile::kCluster;
  }
  __device__ int row(int tile) const {
    return (tile % units * Tile::kCluster + hopper::cluster_rank()) * Tile::kRows;
  }
  __device__ int col(int tile) const { return tile / units * Tile::kCols; }
};

__device__ inline void produce(const CUtensorMap& states, const CUtensorMap& table,
                               const Tiles& tiles, Ring ring) {
  constexpr int kOwnCols = Tile::kCols / Tile::kCluster;
  constexpr auto kAll = static_cast<std::uint16_t>((1 << Tile::kCluster) - 1);
  const int own = hopper::cluster_rank() * kOwnCols;
  for (int tile = tiles.first(); tile < tiles.count; tile = tiles.next(tile)) {
    const int row = tiles.row(tile);
    const int col = tiles.col(tile);
    for (int step = 0; step < tiles.steps; ++step) {
      const int depth = step * Tile::kDepth;
      hopper::barrier_wait(ring.empty(), ring.parity ^ 1U);  // in both blocks of the cluster
      hopper::barrier_expect(ring.full(), Tile::kStageBytes);
      hopper::copy_in(ring.place(), states, depth, row, ring.full());
      hopper::copy_in_to_all(ring.place() + Tile::kLeftBytes + own * Tile::kDepth * 2, table, depth,
                             col + own, ring.full(), kAll);
      ring.advance();
    }
  }
}

// The products of a tile. Stages are given back as products are done with them, all but the last
// when the products after them are under way.
__device__ inline void multiply_tile(float (&sums)[128], int steps, Ring& ring, int consumer) {
  Ring before = ring;
  for (int step = 0; step < steps; ++step) {
    hopper::barrier_wait(ring.full(), ring.parity);
    const std::uint64_t a =
        hopper::left_operand(ring.place() + consumer * (Tile::kLeftBytes / Tile::kConsumers));
    const std::uint64_t b = hopper::left_operand(ring.place() + Tile::kLeftBytes);
    hopper::begin_products();
#pragma unroll
    for (int k = 0; k < Tile::kDepth / 16; ++k) {  // offsets in units of 16 bytes
      hopper::multiply<hopper::Left::by_rows, hopper::Right::by_columns>(sums, a + k * 2, b + k * 2,
                                                                         step + k > 0);
    }
    hopper::commit_products();
    hopper::wait_products<1>();
    if (step > 0) {
      before.release();
    }
    before = ring;
    ring.advance();
  }
  hopper::wait_products<0>();
  hopper::settle(sums);
  before.release();
}

// Exponentials of the warp's 16 rows, of which `row` is the first, to memory, piece by piece
// through `staged`, and the sums of both slices.
template <bool kCut>
__device__ void finish_tile(const CUtensorMap& results, const VocabularyProblem& p,
                            vocabulary::TilePart part, const float (&logits)[128],
                            const float (&shift)[2], int row, std::uint32_t staged) {
  constexpr int kPieces = VocabularyTile::kCols / Tile::kPieceCols;  // of a slice
  const int first = part.col;
#pragma unroll
  for (int slice = 0; slice < Tile::kCols / VocabularyTile::kCols; ++slice) {
    float sums[2][2] = {};
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      const int piece = slice * kPieces + i;
      const std::uint32_t at = staged + piece % 2 * Tile::kPieceBytes;
      if (part.lane == 0) {
        hopper::wait_copies_read<1>();
      }
      __syncwarp();
      part.col = first;
      vocabulary::finish_piece<kCut>(p, part, logits, 8 * piece, shift, sums,
                                     vocabulary::MatrixRows(at, part.lane));
      hopper::fence_for_copies();
      __syncwarp();
      if (part.lane == 0) {
        hopper::copy_out(results, first + piece * Tile::kPieceCols, row, at);
      }
    }
    part.col = first + slice * VocabularyTile::kCols;
    if (!kCut || part.col < p.cols) {
      vocabulary::leave_sums(p, part, sums);
    }
  }
}

__device__ inline void consume(const CUtensorMap& results, const VocabularyProblem& p,
                               const Tiles& tiles, Ring ring, int consumer) {
  const int thread = static_cast<int>(threadIdx.x) % hopper::kWarpgroup;
  vocabulary::TilePart part{thread % 32, thread / 32, 0, 0};
  const std::uint32_t staged =
      ring.base + Tile::kResultsAt + (4 * consumer + part.warp) * 2 * Tile::kPieceBytes;
  float sums[128];
  float shift[2];
  for (int tile = tiles.first(); tile < tiles.count; tile = tiles.next(tile)) {
    const int row = tiles.row(tile) + consumer * Tile::kConsumerRows + part.warp * Tile::kPieceRows;
    part.first = row + part.lane / 4;
    part.col = tiles.col(tile);
    vocabulary::load_shifts(p, part, shift);
    multiply_tile(sums, tiles.steps, ring, consumer);
    if (row >= p.rows) {
      continue;  // a warp without rows: every piece below leaves, and is waited for
    }
    if (part.col + Tile::kCols <= p.cols) {
      finish_tile<false>(results, p, part, sums, shift, row, staged);
    } else {
      finish_tile<true>(results, p, part, sums, shift, row, staged);
    }
  }
  if (part.lane == 0) {
    hopper::wait_copies_out();
  }
}

}  // namespace vocabulary_deep

#endif  // YONA_HOPPER

// To be launched in clusters of kCluster blocks.
__global__ void __launch_bounds__(VocabularyDeepTile::kThreads, 1)
    vocabulary_product_deep_kernel(const __grid_constant__ CUtensorMap states,
                                   const __grid_constant__ CUtensorMap table,
                                   const __grid_constant__ CUtensorMap results,
                                   const VocabularyProblem p) {
#ifdef YONA_HOPPER
  using Tile = VocabularyDeepTile;
  extern __shared__ __align__(1024) unsigned char shared[];
  const vocabulary_deep::Ring ring{hopper::shared_address(shared), 0, 0};
  const int group = static_cast<int>(threadIdx.x) / hopper::kWarpgroup;
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < Tile::kStages; ++stage) {
      hopper::barrier_init(ring.full() + stage * 8, 1);
      hopper::barrier_init(ring.empty() + stage * 8, Tile::kConsumerWarps);
    }
    hopper::fence_barrier_init();
    hopper::prefetch_map(states);
    hopper::prefetch_map(table);
    hopper::prefetch_map(results);
  }
  hopper::cluster_sync();
  wait_for_previous_grid();
  const vocabulary_deep::Tiles tiles(p);
  if (group == 0) {
    hopper::give_registers<40>();
    if (threadIdx.x == 0) {
      vocabulary_deep::produce(states, table, tiles, ring);
    }
  } else {
    hopper::take_registers<232>();
    vocabulary_deep::consume(results, p, tiles, ring, group - 1);
  }
  hopper::cluster_sync();  // no block ends while another may arrive at its barriers
#endif
}

}  // namespace yona::cuda
