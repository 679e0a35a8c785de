// Products of any depth for Hopper that are computed transposed (swap A/B), and whose epilogue
// overlaps the main loop of the next tile: what kernels of that kind share.
//
//   X [rows, depth] · W [depth, cols], both bf16 and row-major, depth a multiple of 64, cols of
//   256. W may be given as [cols, depth] instead.
//
// Computed as Wᵀ Xᵀ, warp-specialised. A block has tiles of 256 rows and 128 columns, 64 columns
// for each of its two consumer warpgroups, one tile after another (StationaryTiles). A producer
// thread issues TMA copies of both operands into a ring of stages, each 64 deep. The two blocks of
// a cluster have neighbouring columns, and each multicasts half of the rows to both.
//
// A consumer's accumulators take 128 registers of a lane, which leaves too few for a second tile.
// So when a tile's main loop is done, its sums are only rounded, into 64 registers, and the next
// main loop begins. Meanwhile the rounded sums go through the epilogue in four pieces of 64 rows: a
// piece is put into one of the consumer's two staging buffers, and TMA stores it. The consumers'
// pieces are staggered, so that both do not run an epilogue at once.
//
// Lane l of a consumer's warp w has, as sums[4 j + 2 half + e], column 16 w + l / 4 + 8 half of the
// consumer's and row 8 j + 2 (l % 4) + e of the tile: two columns, and 64 rows of them. Word i of
// what is rounded has sums 2 i and, above it, 2 i + 1.
//
// A kernel's Epilogue has
//   round(rounded, sums, col)        rounds a consumer's sums of columns from col on;
//   fill(staging, ready, col, row)   called by one thread: the buffer is free for the piece at row
//                                    and col; starts copies of what the piece needs, with `ready`
//                                    as the barrier, whose phase ends with one arrival;
//   put(rounded, piece, at)          puts the piece into its buffer, whose lane_offset() is `at`,
//                                    once its phase has ended;
//   leave(col)                       after the last piece of columns from col on.
#pragma once

#include "yona/backend/cuda/gemm/stationary.cuh"

namespace yona::cuda {

// What a kernel's own shape may set otherwise: W as [cols, depth], and that the second consumer
// begins when the first one's first step is under way.
struct TransposedShape {
  static constexpr bool kWeightRows = false;
  static constexpr bool kApart = false;
  static constexpr int kRows = 256;  // of a tile
  static constexpr int kConsumerCols = 64;
  static constexpr int kCols = 2 * kConsumerCols;
  static constexpr int kDepth = 64;
  static constexpr int kCluster = 2;
  static constexpr int kClusterCols = kCluster * kCols;
  static constexpr int kThreads = 3 * hopper::kWarpgroup;
  static constexpr int kStages = 4;
  static constexpr int kPanelBytes = kDepth * kConsumerCols * 2;  // of W: a consumer's
  static constexpr int kWeightBytes = 2 * kPanelBytes;
  static constexpr int kStageBytes = kWeightBytes + kRows * kDepth * 2;  // W, then X
  // Stages, two staging buffers for each consumer, and barriers: two for each stage, then one for
  // each buffer.
  static constexpr int kPieceRows = 64;
  static constexpr int kPieces = kRows / kPieceRows;
  static constexpr int kStagingBuffers = 4;
  static constexpr int kStagingBytes = kPieceRows * kConsumerCols * 2;
  static constexpr int kStagingAt = kStages * kStageBytes;
  static constexpr int kBarriersAt = kStagingAt + kStagingBuffers * kStagingBytes;
  static constexpr int kStagingBarriersAt = kBarriersAt + 2 * kStages * 8;
  static constexpr int kSharedBytes = kStagingBarriersAt + kStagingBuffers * 8;
  static_assert(kSharedBytes <= 232448 && kPieces % 4 == 0);
};

#ifdef YONA_HOPPER

namespace transposed {

// The producer's thread: W and X for every step of every tile.
template <class Shape>
__device__ void produce(const CUtensorMap& x, const CUtensorMap& w, int depth,
                        const StationaryTiles& tiles, ClusterRing<Shape> ring) {
  constexpr auto kAll = static_cast<std::uint16_t>((1 << Shape::kCluster) - 1);
  constexpr int kOwnRows = Shape::kRows / Shape::kCluster;
  const int own = hopper::cluster_rank() * kOwnRows;
  for (int tile = 0; tile < tiles.count; ++tile) {
    const StationaryTiles::Place place = tiles.at(tile);
    const int row = place.row * Shape::kRows + own;
    const int col = stationary::column<Shape>(place.unit, 0);
    for (int from = 0; from < depth; from += Shape::kDepth) {
      ring.begin();
      const std::uint32_t to = ring.place();
      if constexpr (Shape::kWeightRows) {
        hopper::copy_in(to, w, from, col, ring.full());
      } else {
        hopper::copy_in(to, w, col, from, ring.full());
        hopper::copy_in(to + Shape::kPanelBytes, w, col + Shape::kConsumerCols, from, ring.full());
      }
      hopper::copy_in_to_all(to + Shape::kWeightBytes + own * (Shape::kDepth * 2), x, from, row,
                             ring.full(), kAll);
      ring.advance();
    }
  }
}

// One step's products, of the stage that the ring is at.
template <class Shape>
__device__ void begin_step(float (&sums)[128], const ClusterRing<Shape>& ring, int consumer,
                           int step) {
  using hopper::Left;
  using hopper::Right;
  hopper::barrier_wait(ring.full(), ring.parity);
  const std::uint32_t weights = ring.place() + consumer * Shape::kPanelBytes;
  const std::uint64_t b = hopper::left_operand(ring.place() + Shape::kWeightBytes);
  hopper::begin_products();
#pragma unroll
  for (int k = 0; k < Shape::kDepth / 16; ++k) {  // offsets in units of 16 bytes
    if constexpr (Shape::kWeightRows) {
      hopper::multiply<Left::by_rows, Right::by_columns>(
          sums, hopper::left_operand(weights) + k * (32 / 16), b + k * (32 / 16), step + k > 0);
    } else {
      hopper::multiply<Left::by_columns, Right::by_columns>(
          sums, hopper::right_operand(weights, Shape::kPanelBytes) + k * (2048 / 16),
          b + k * (32 / 16), step + k > 0);
    }
  }
  hopper::commit_products();
}

// A consumer's staging buffers, which pieces go through one after another.
template <class Shape, class Epilogue>
struct StagingBuffers {
  const CUtensorMap& out;
  Epilogue& end;
  std::uint32_t base = 0;  // of shared memory
  int consumer = 0;

  __device__ std::uint32_t at(int piece) const {
    return base + Shape::kStagingAt + (2 * consumer + piece % 2) * Shape::kStagingBytes;
  }
  __device__ std::uint32_t ready(int piece) const {
    return base + Shape::kStagingBarriersAt + (2 * consumer + piece % 2) * 8;
  }
  __device__ void fill(int piece, const StationaryTiles::Place& place) const {  // one thread's
    end.fill(at(piece), ready(piece), stationary::column<Shape>(place.unit, consumer),
             place.row * Shape::kRows + piece * Shape::kPieceRows);
  }
  // A piece of the tile at `place` leaves, and its buffer is freed for the one after it: of the
  // tile at `next` after the last, where there is another tile.
  __device__ void send(const std::uint32_t (&rounded)[64], int piece,
                       const StationaryTiles::Place& place, bool another,
                       const StationaryTiles::Place& next) const {
    hopper::barrier_wait(ready(piece), piece / 2 % 2);
    end.put(rounded, piece, at(piece) + stationary::lane_offset());
    hopper::fence_for_copies();
    hopper::meet(stationary::kOwnBarrier + consumer, hopper::kWarpgroup);
    if (threadIdx.x % hopper::kWarpgroup == 0) {  // rows after the last are not written
      hopper::copy_out(out, stationary::column<Shape>(place.unit, consumer),
                       place.row * Shape::kRows + piece * Shape::kPieceRows, at(piece));
      hopper::wait_copies_read<1>();  // the other buffer's
      if (piece + 1 < Shape::kPieces) {
        fill(piece + 1, place);
      } else if (another) {
        fill(0, next);
      }
    }
    __syncwarp();
  }
};

// A consumer's warps: products of all tiles, and their ends.
template <class Shape, class Epilogue>
__device__ void consume(const CUtensorMap& out, int depth, const StationaryTiles& tiles,
                        ClusterRing<Shape> ring, int consumer, Epilogue& end) {
  if (tiles.count == 0) {
    return;
  }
  const bool first_thread = threadIdx.x % hopper::kWarpgroup == 0;
  const StagingBuffers<Shape, Epilogue> staging{out, end, ring.base, consumer};
  const int steps = depth / Shape::kDepth;
  const int apart = consumer * (steps / 2);  // in quarters of a step
  const auto column = [&](int unit) { return stationary::column<Shape>(unit, consumer); };
  float sums[128];
  std::uint32_t rounded[64];
  StationaryTiles::Place before = tiles.at(0);
  if (first_thread) {
    staging.fill(0, before);
  }
  __syncwarp();
  if (Shape::kApart && consumer == 1) {
    hopper::meet(stationary::kTurnBarrier, stationary::kBoth);
  }
  for (int tile = 0; tile < tiles.count; ++tile) {
    const StationaryTiles::Place place = tiles.at(tile);
    ClusterRing<Shape> last = ring;
    int step = 0;
    const auto multiply_until = [&](int end_step) {
      for (; step < end_step; ++step) {
        begin_step<Shape>(sums, ring, consumer, step);
        hopper::wait_products<1>();
        if (step > 0) {
          last.release();
        } else if (Shape::kApart && tile == 0 && consumer == 0) {
          hopper::arrive(stationary::kTurnBarrier, stationary::kBoth);
        }
        last = ring;
        ring.advance();
      }
    };
#pragma unroll
    for (int piece = 0; piece < Shape::kPieces; ++piece) {  // of the tile before
      multiply_until((piece * steps + apart) / Shape::kPieces + 1);
      if (tile > 0) {
        staging.send(rounded, piece, before, true, place);
      }
    }
    if (tile > 0 && before.unit != place.unit) {
      end.leave(column(before.unit));
    }
    multiply_until(steps);
    hopper::wait_products<0>();
    hopper::settle(sums);
    last.release();
    end.round(rounded, sums, column(place.unit));
    before = place;
  }
#pragma unroll
  for (int piece = 0; piece < Shape::kPieces; ++piece) {
    staging.send(rounded, piece, before, false, before);
  }
  end.leave(column(before.unit));
  if (first_thread) {
    hopper::wait_copies_out();
  }
}

}  // namespace transposed

#endif  // YONA_HOPPER

}  // namespace yona::cuda
