// Logits = states · Eᵀ and statistics of their rows, for Hopper: what the softmax over a vocabulary
// needs to know of a row is left by the product, so that nobody reads the row for it.
//
//   states [rows, depth], E [cols, depth], both bf16 and row-major; logits [rows, cols], f32 or
//   bf16; depth a multiple of 64 up to 512, or of 512; cols of 8. Of every slice of 128 columns
//   and every row: the largest logit, Σ exp(logit - largest), and Σ logit.
//
// A block computes tiles of 128 × 128. Its first warpgroup is the producer: one thread of it has
// the copy engine fill a ring of stages with E, each 64 deep. The other two are consumers, which
// take tiles in turn, so that one multiplies while the other finishes its tile. The 128 rows of
// states stay in shared memory for a run of tiles; when the next run has others, each 64 deep of
// them come as the last tile of the run is done with those before. Two blocks of a cluster have
// tiles below each other: each brings half of the stages of E to both.
#pragma once

#include "yona/backend/cuda/vocabulary_epilogue.cuh"

namespace yona::cuda {

// kOrdered: consumers multiply strictly in turn.
template <int kStagesOf, int kClusterOf, bool kOrderedOf, int kStoresOf = 0>
struct VocabularyShape : VocabularyTile {
  static constexpr int kStages = kStagesOf;
  static constexpr int kCluster = kClusterOf;
  static constexpr bool kOrdered = kOrderedOf;
  static constexpr auto kStores = static_cast<vocabulary::Stores>(kStoresOf);
  // Slots of the left operand, stages, and two barriers for each of them.
  static constexpr int kStagesAt = kSlots * kLeftBytes;
  static constexpr int kBarriersAt = kStagesAt + kStages * kRightBytes;
  static constexpr int kSharedBytes = kBarriersAt + 2 * (kStages + kSlots) * 8;
};

// The tiles of a cluster: in waves, a run of each of them to every cluster. Runs go through groups
// of columns, and in a group through all rows, so that what runs at once shares columns of E.
struct VocabularyTiles {
  int units = 0;  // of rows: a tile for each block of the cluster
  int cols = 0;   // tiles
  int run = 0;
  int clusters = 0;
  int cluster = 0;
  int whole = 0;     // tiles of this cluster in whole waves
  int last_run = 0;  // in the last wave
  int count = 0;     // of this cluster

  __host__ __device__ VocabularyTiles(const VocabularyProblem& p, int per_cluster, int all_clusters,
                                      int index)
      : units((p.rows + per_cluster - 1) / per_cluster),
        cols((p.cols + VocabularyTile::kCols - 1) / VocabularyTile::kCols),
        run(p.run),
        clusters(all_clusters),
        cluster(index) {
    const int all = units * cols;
    const int wave = run * clusters;
    const int rest = all % wave;
    whole = all / wave * run;
    last_run = (rest + clusters - 1) / clusters;
    const int left = rest - cluster * last_run;
    count = whole + (left < 0 ? 0 : left < last_run ? left : last_run);
  }
  struct Place {
    int unit, col;
  };
  __host__ __device__ Place at(int tile) const {
    int index = 0;
    if (tile < whole) {
      index = (tile / run * clusters + cluster) * run + tile % run;
    } else {
      index = whole * clusters + cluster * last_run + tile - whole;
    }
    const int group = index / (units * run);  // `run` columns of tiles
    const int width = cols - group * run < run ? cols - group * run : run;
    index -= group * units * run;
    return {index / width, group * run + index % width};
  }
};

#ifdef YONA_HOPPER

namespace vocabulary {

template <class Shape>
struct Ring {
  std::uint32_t base = 0;  // of shared memory
  int stage = 0;
  std::uint32_t parity = 0;

  __device__ std::uint32_t right() const {
    return base + Shape::kStagesAt + stage * Shape::kRightBytes;
  }
  __device__ std::uint32_t full() const { return base + Shape::kBarriersAt + stage * 8; }
  __device__ std::uint32_t empty() const { return full() + Shape::kStages * 8; }
  __device__ std::uint32_t left(int slot) const { return base + slot * Shape::kLeftBytes; }
  __device__ std::uint32_t left_full(int slot) const {
    return base + Shape::kBarriersAt + (2 * Shape::kStages + slot) * 8;
  }
  __device__ std::uint32_t left_empty(int slot) const {
    return left_full(slot) + Shape::kSlots * 8;
  }
  __device__ void advance(int steps = 1) {
    stage += steps;
    while (stage >= Shape::kStages) {
      stage -= Shape::kStages;
      parity ^= 1U;
    }
  }
};

// Which filling of the slots a tile's rows are in. Rows that do not fit into the slots are brought
// again for every tile.
struct Fillings {
  bool deep = false;
  int of_tile = 0;  // fillings that a tile takes
  int first = 0;    // of the present tile
  int next = 0;
  int unit = -1;

  __device__ explicit Fillings(int steps)
      : deep(steps > VocabularyTile::kSlots),
        of_tile((steps + VocabularyTile::kSlots - 1) / VocabularyTile::kSlots) {}
  // To be called for each tile in turn: are its rows to be brought?
  __device__ bool enter(int tile_unit) {
    const bool fresh = deep || tile_unit != unit;
    unit = tile_unit;
    if (fresh) {
      first = next;
      next += of_tile;
    }
    return fresh;
  }
  __device__ std::uint32_t parity(int step) const {
    return static_cast<std::uint32_t>(first + step / VocabularyTile::kSlots) & 1U;
  }
};

template <class Shape>
__device__ void produce(const CUtensorMap& states, const CUtensorMap& table,
                        const VocabularyProblem& p, const VocabularyTiles& tiles,
                        Ring<Shape> ring) {
  constexpr int kOwnCols = Shape::kCols / Shape::kCluster;
  constexpr auto kAll = static_cast<std::uint16_t>((1 << Shape::kCluster) - 1);
  const int rank = hopper::cluster_rank();
  const int steps = p.depth / Shape::kDepth;
  Fillings fillings(steps);
  for (int tile = 0; tile < tiles.count; ++tile) {
    const VocabularyTiles::Place place = tiles.at(tile);
    const int row = (place.unit * Shape::kCluster + rank) * Shape::kRows;
    const int col = place.col * Shape::kCols + rank * kOwnCols;
    const bool fresh = fillings.enter(place.unit);
    for (int step = 0; step < steps; ++step) {
      if (fresh) {
        const int slot = step % Shape::kSlots;
        hopper::barrier_wait(ring.left_empty(slot), fillings.parity(step) ^ 1U);
        hopper::barrier_expect(ring.left_full(slot), Shape::kLeftBytes);
        hopper::copy_in(ring.left(slot), states, step * Shape::kDepth, row, ring.left_full(slot));
      }
      hopper::barrier_wait(ring.empty(), ring.parity ^ 1U);  // in all blocks of the cluster
      hopper::barrier_expect(ring.full(), Shape::kRightBytes);
      const std::uint32_t to = ring.right() + rank * (Shape::kRightBytes / Shape::kCluster);
      if constexpr (Shape::kCluster == 1) {
        hopper::copy_in(to, table, step * Shape::kDepth, col, ring.full());
      } else {
        hopper::copy_in_to_all(to, table, step * Shape::kDepth, col, ring.full(), kAll);
      }
      ring.advance();
    }
  }
}

// Barriers by which consumers take turns.
constexpr int kTurnBarrier = 1;

template <class T, class Shape>
__device__ void consume(const VocabularyProblem& p, const VocabularyTiles& tiles, Ring<Shape> ring,
                        int consumer) {
  constexpr int kBoth = 2 * hopper::kWarpgroup;
  const int rank = hopper::cluster_rank();
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int steps = p.depth / Shape::kDepth;
  Fillings fillings(steps);
  float sums[2][64];
  if (Shape::kOrdered && consumer == 1 && tiles.count > 0) {
    hopper::arrive(kTurnBarrier, kBoth);
  }
  for (int tile = 0; tile < tiles.count; ++tile) {
    const VocabularyTiles::Place place = tiles.at(tile);
    const bool fresh = fillings.enter(place.unit);
    if (tile % 2 != consumer) {
      ring.advance(steps);
      continue;
    }
    // This tile's steps give slots back where neither the next tile nor, of this consumer, the one
    // after it has the same rows; also for the other consumer where it had no tile with them.
    const auto same = [&](int other) {
      return other < tiles.count && !fillings.deep && tiles.at(other).unit == place.unit;
    };
    const bool next_same = same(tile + 1);
    const bool last = !next_same || !same(tile + 2);
    const int weight = !last ? 0 : fresh && !next_same ? 2 : 1;
    const auto release = [&](const Ring<Shape>& done, int step) {
      if (lane < Shape::kCluster) {
        hopper::barrier_arrive(done.empty(), lane);
      }
      if (weight > 0 && lane == 0) {
        hopper::barrier_arrive_for(done.left_empty(step % Shape::kSlots), weight);
      }
      __syncwarp();
    };
    if constexpr (Shape::kOrdered) {
      hopper::meet(kTurnBarrier + consumer, kBoth);
    }
    Ring<Shape> before = ring;
    for (int step = 0; step < steps; ++step) {
      const int slot = step % Shape::kSlots;
      hopper::barrier_wait(ring.left_full(slot), fillings.parity(step));
      hopper::barrier_wait(ring.full(), ring.parity);
      const std::uint64_t a = hopper::left_operand(ring.left(slot));
      const std::uint64_t b = hopper::left_operand(ring.right());
      hopper::begin_products();
#pragma unroll
      for (int k = 0; k < Shape::kDepth / 16; ++k) {  // offsets in units of 16 bytes
        const bool more = step + k > 0;
        hopper::multiply_transposed(sums[0], a + k * 2, b + k * 2, more);
        hopper::multiply_transposed(sums[1], a + Shape::kLeftBytes / 32 + k * 2, b + k * 2, more);
      }
      hopper::commit_products();
      hopper::wait_products<1>();
      if (step > 0) {
        release(before, step - 1);
      }
      before = ring;
      ring.advance();
    }
    if (Shape::kOrdered && tile + 1 < tiles.count) {
      hopper::arrive(kTurnBarrier + 1 - consumer, kBoth);
    }
    hopper::wait_products<0>();
    hopper::settle(sums[0]);
    hopper::settle(sums[1]);
    release(before, steps - 1);
    const int row = (place.unit * Shape::kCluster + rank) * Shape::kRows;
    const int col = place.col * Shape::kCols;
    if (col + Shape::kCols <= p.valid) {
      finish_tile<T, false, Shape::kStores>(sums, p, row, col);
    } else {
      finish_tile<T, true, Shape::kStores>(sums, p, row, col);
    }
  }
}

}  // namespace vocabulary

#endif  // YONA_HOPPER

// To be launched in clusters of kCluster blocks.
template <class T, class Shape>
__global__ void __launch_bounds__(Shape::kThreads, 1)
    vocabulary_product_kernel(const __grid_constant__ CUtensorMap states,
                              const __grid_constant__ CUtensorMap table,
                              const VocabularyProblem p) {
#ifdef YONA_HOPPER
  extern __shared__ __align__(1024) unsigned char shared[];
  const vocabulary::Ring<Shape> ring{hopper::shared_address(shared), 0, 0};
  const int group = static_cast<int>(threadIdx.x) / hopper::kWarpgroup;
  constexpr int kConsumerWarps = 4;
  if (threadIdx.x == 0) {
    if (ring.base % 1024 != 0) {
      __trap();
    }
    for (int stage = 0; stage < Shape::kStages; ++stage) {
      hopper::barrier_init(ring.full() + stage * 8, 1);
      hopper::barrier_init(ring.empty() + stage * 8, kConsumerWarps * Shape::kCluster);
    }
    for (int slot = 0; slot < Shape::kSlots; ++slot) {
      hopper::barrier_init(ring.left_full(slot), 1);
      hopper::barrier_init(ring.left_empty(slot), 2 * kConsumerWarps);
    }
    hopper::fence_barrier_init();
    hopper::prefetch_map(states);
    hopper::prefetch_map(table);
  }
  hopper::cluster_sync();
  const VocabularyTiles tiles(p, Shape::kCluster * Shape::kRows,
                              static_cast<int>(gridDim.x) / Shape::kCluster,
                              static_cast<int>(blockIdx.x) / Shape::kCluster);
  if (group == 0) {
    hopper::give_registers<24>();
    if (threadIdx.x == 0) {
      vocabulary::produce(states, table, p, tiles, ring);
    }
  } else {
    hopper::take_registers<240>();
    vocabulary::consume<T>(p, tiles, ring, group - 1);
  }
  hopper::cluster_sync();  // no block ends while another may arrive at its barriers
#endif
}

}  // namespace yona::cuda
