// Products of any depth that are formed turned, for Hopper, and whose tiles end while the products
// of the next run: what kernels of that kind share.
//
//   X [rows, depth] · W [depth, cols], both bf16 and row-major, depth a multiple of 64, cols of
//   256. W may be given as [cols, depth] instead.
//
// It is formed as Wᵀ Xᵀ. A block has tiles of 256 rows and 128 columns, 64 of these to each of its
// two consumers, one after another (HeldTiles). Both operands go through a ring of stages, each 64
// deep, that one thread of the first warpgroup has the copy engine fill. The two blocks of a
// cluster have columns beside each other, and each brings half of the rows to both.
//
// A consumer's sums take 128 registers of a lane, and what is left has no room for a second tile.
// So when a tile's products are done, its sums are but rounded, into 64 registers, and the next
// tile's products begin. Beside these the rounded ones are ended in four pieces of 64 rows: a piece
// goes into a room of shared memory, of which a consumer has two in turn, and from there to memory
// by the copy engine. The consumers' pieces are apart, so that both do not end one at once.
//
// Lane l of a consumer's warp w has, as sums[4 j + 2 half + e], column 16 w + l / 4 + 8 half of the
// consumer's and row 8 j + 2 (l % 4) + e of the tile: two columns, and 64 rows of them. Word i of
// what is rounded has sums 2 i and, above it, 2 i + 1.
//
// What a kernel does with a tile is its End, which has
//   round(rounded, sums, col)      a consumer's sums of columns from col on, to be rounded;
//   fill(room, ready, col, row)    one thread's: the room is free for the piece at row and col;
//                                  what the piece needs is to be brought there, with `ready` as
//                                  the barrier, whose phase ends with one arrival;
//   put(rounded, piece, at)        the piece into its room, whose lane_offset() `at` has, once its
//                                  phase has ended;
//   leave(col)                     after the last piece of columns from col on.
#pragma once

#include "yona/backend/cuda/gemm/stationary.cuh"

namespace yona::cuda {

// What a kernel's own shape may set otherwise: W as [cols, depth], and that the second consumer
// begins when the first one's first step is under way.
struct TurnedShape {
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
  // Stages, two rooms for each consumer, and barriers: two for each stage, then one for each room.
  static constexpr int kPieceRows = 64;
  static constexpr int kPieces = kRows / kPieceRows;
  static constexpr int kRooms = 4;
  static constexpr int kRoomBytes = kPieceRows * kConsumerCols * 2;
  static constexpr int kRoomsAt = kStages * kStageBytes;
  static constexpr int kBarriersAt = kRoomsAt + kRooms * kRoomBytes;
  static constexpr int kRoomBarriersAt = kBarriersAt + 2 * kStages * 8;
  static constexpr int kSharedBytes = kRoomBarriersAt + kRooms * 8;
  static_assert(kSharedBytes <= 232448 && kPieces % 4 == 0);
};

#ifdef YONA_HOPPER

namespace turned {

// The producer's thread: W and X for every step of every tile.
template <class Shape>
__device__ void produce(const CUtensorMap& x, const CUtensorMap& w, int depth,
                        const HeldTiles& tiles, ClusterRing<Shape> ring) {
  constexpr auto kAll = static_cast<std::uint16_t>((1 << Shape::kCluster) - 1);
  constexpr int kOwnRows = Shape::kRows / Shape::kCluster;
  const int own = hopper::cluster_rank() * kOwnRows;
  for (int tile = 0; tile < tiles.count; ++tile) {
    const HeldTiles::Place place = tiles.at(tile);
    const int row = place.row * Shape::kRows + own;
    const int col = held::column<Shape>(place.unit, 0);
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

// A consumer's rooms, which pieces go through one after another.
template <class Shape, class End>
struct Rooms {
  const CUtensorMap& out;
  End& end;
  std::uint32_t base = 0;  // of shared memory
  int consumer = 0;

  __device__ std::uint32_t at(int piece) const {
    return base + Shape::kRoomsAt + (2 * consumer + piece % 2) * Shape::kRoomBytes;
  }
  __device__ std::uint32_t ready(int piece) const {
    return base + Shape::kRoomBarriersAt + (2 * consumer + piece % 2) * 8;
  }
  __device__ void fill(int piece, const HeldTiles::Place& place) const {  // one thread's
    end.fill(at(piece), ready(piece), held::column<Shape>(place.unit, consumer),
             place.row * Shape::kRows + piece * Shape::kPieceRows);
  }
  // A piece of the tile at `place` leaves, and room is made for the one after it: of the tile at
  // `next` after the last, where there is another tile.
  __device__ void send(const std::uint32_t (&rounded)[64], int piece, const HeldTiles::Place& place,
                       bool another, const HeldTiles::Place& next) const {
    hopper::barrier_wait(ready(piece), piece / 2 % 2);
    end.put(rounded, piece, at(piece) + held::lane_offset());
    hopper::fence_for_copies();
    hopper::meet(held::kOwnBarrier + consumer, hopper::kWarpgroup);
    if (threadIdx.x % hopper::kWarpgroup == 0) {  // rows after the last are not written
      hopper::copy_out(out, held::column<Shape>(place.unit, consumer),
                       place.row * Shape::kRows + piece * Shape::kPieceRows, at(piece));
      hopper::wait_copies_read<1>();  // the other room's
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
template <class Shape, class End>
__device__ void consume(const CUtensorMap& out, int depth, const HeldTiles& tiles,
                        ClusterRing<Shape> ring, int consumer, End& end) {
  if (tiles.count == 0) {
    return;
  }
  const bool first_thread = threadIdx.x % hopper::kWarpgroup == 0;
  const Rooms<Shape, End> rooms{out, end, ring.base, consumer};
  const int steps = depth / Shape::kDepth;
  const int apart = consumer * (steps / 2);  // in quarters of a step
  const auto column = [&](int unit) { return held::column<Shape>(unit, consumer); };
  float sums[128];
  std::uint32_t rounded[64];
  HeldTiles::Place before = tiles.at(0);
  if (first_thread) {
    rooms.fill(0, before);
  }
  __syncwarp();
  if (Shape::kApart && consumer == 1) {
    hopper::meet(held::kTurnBarrier, held::kBoth);
  }
  for (int tile = 0; tile < tiles.count; ++tile) {
    const HeldTiles::Place place = tiles.at(tile);
    ClusterRing<Shape> last = ring;
    int step = 0;
    const auto multiply_until = [&](int end_step) {
      for (; step < end_step; ++step) {
        begin_step<Shape>(sums, ring, consumer, step);
        hopper::wait_products<1>();
        if (step > 0) {
          last.release();
        } else if (Shape::kApart && tile == 0 && consumer == 0) {
          hopper::arrive(held::kTurnBarrier, held::kBoth);
        }
        last = ring;
        ring.advance();
      }
    };
#pragma unroll
    for (int piece = 0; piece < Shape::kPieces; ++piece) {  // of the tile before
      multiply_until((piece * steps + apart) / Shape::kPieces + 1);
      if (tile > 0) {
        rooms.send(rounded, piece, before, true, place);
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
    rooms.send(rounded, piece, before, false, before);
  }
  end.leave(column(before.unit));
  if (first_thread) {
    hopper::wait_copies_out();
  }
}

}  // namespace turned

#endif  // YONA_HOPPER

}  // namespace yona::cuda
