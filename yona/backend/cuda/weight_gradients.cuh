// Gradients of weights, dW (+)= dYᵀ X, for Hopper: many of them in one launch.
//
//   dY [depth, rows] and X [depth, cols], bf16 and row-major; dW [rows, cols], f32. The depth counts
//   tokens: it is long, and a product has few tiles. So a product alone does not fill the GPU unless
//   its sum is split, and the parts are then added up in a pass of their own; the products of a
//   layer together fill it with whole sums. Every tile has one owner: the same bits every time.
//
// A block computes tiles of 128 × 256, one after another. Its first warpgroup is the producer: one
// thread of it has the copy engine fill a ring of stages. The other two each multiply 64 of the
// tile's rows with all of its columns. The blocks of a cluster have neighbouring tiles of one
// product: those below each other share X, those beside each other dY, and each brings its part of
// what is shared to all that need it. Both operands lie as they come, tokens by rows (wgmma.cuh).
// What lies outside a matrix is zero where it is read, and not written: no size has to be a
// multiple of anything, but what a tile has too much is lost time.
#pragma once

#include "yona/backend/cuda/wgmma.cuh"

namespace yona::cuda {

// Numbers of the kernel that the host needs too. Blocks of a cluster: kBelow × kBeside.
enum class Write { plain, ahead, reduce };
template <int kBelow_, int kBeside_, int kDepth_ = 64, int kStages_ = 4, Write kWrite_ = Write::plain>
struct WeightGradientsTile {
  static constexpr Write kWrite = kWrite_;
  static constexpr int kBelow = kBelow_;
  static constexpr int kBeside = kBeside_;
  static constexpr int kCluster = kBelow * kBeside;
  static constexpr int kRows = 128;
  static constexpr int kCols = 256;
  static constexpr int kDepth = kDepth_;
  static constexpr int kPanel = 64;  // columns that lie together in shared memory: 128 bytes
  static constexpr int kStages = kStages_;
  static constexpr int kSources = kBelow + kBeside - 1;   // blocks that copy to a block
  static constexpr int kReleases = 8 * kSources;          // consumers' warps that a block copies to
  static constexpr int kThreads = 3 * hopper::kWarpgroup;

  static constexpr int kLeftPanels = kRows / kPanel;
  static constexpr int kRightPanels = kCols / kPanel;
  static constexpr int kPanelBytes = kDepth * kPanel * 2;
  static constexpr int kLeftBytes = kLeftPanels * kPanelBytes;
  static constexpr int kStageBytes = kLeftBytes + kRightPanels * kPanelBytes;
  static constexpr int kBarriersAt = kStages * kStageBytes;
  static constexpr int kSharedBytes = kBarriersAt + 2 * kStages * 8;
  static_assert(kLeftPanels % kBeside == 0 && kRightPanels % kBelow == 0);
  static_assert(kSharedBytes <= 227 * 1024);
};

struct WeightGradientProduct {
  CUtensorMap dy, x;  // tiles of kDepth rows and kPanel columns
  float* dw = nullptr;
  std::int64_t stride = 0;
  int rows = 0, cols = 0, depth = 0;
  int accumulate = 0;
  int first = 0;        // of all clusters' tiles, the product's first
  int beside = 0;       // clusters' tiles beside each other
};

struct WeightGradientProducts {
  static constexpr int kMost = 16;
  WeightGradientProduct products[kMost];
  int count = 0;
  int tiles = 0;  // clusters' tiles of all
};

#ifdef YONA_HOPPER

namespace weight_gradients {

template <class Tile>
struct Ring {
  std::uint32_t base = 0;      // of shared memory
  std::uint32_t barriers = 0;  // full ones, then empty ones
  int stage = 0;
  std::uint32_t parity = 0;

  __device__ std::uint32_t left() const { return base + stage * Tile::kStageBytes; }
  __device__ std::uint32_t right() const { return left() + Tile::kLeftBytes; }
  __device__ std::uint32_t full() const { return barriers + stage * 8; }
  __device__ std::uint32_t empty() const { return barriers + (Tile::kStages + stage) * 8; }
  __device__ void advance() {
    if (++stage == Tile::kStages) {
      stage = 0;
      parity ^= 1U;
    }
  }
};

// Where the block is in its cluster.
template <class Tile>
struct Rank {
  int below = 0, beside = 0;
  __device__ explicit Rank(int rank) : below(rank % Tile::kBelow), beside(rank / Tile::kBelow) {}
  __device__ static int of(int below, int beside) { return beside * Tile::kBelow + below; }
  // Who needs the block's part of X, and of dY.
  __device__ std::uint16_t column() const {
    return static_cast<std::uint16_t>(((1 << Tile::kBelow) - 1) << (beside * Tile::kBelow));
  }
  __device__ std::uint16_t row() const {
    int blocks = 0;
#pragma unroll
    for (int i = 0; i < Tile::kBeside; ++i) {
      blocks |= 1 << of(below, i);
    }
    return static_cast<std::uint16_t>(blocks);
  }
  // The i-th of the blocks that this one gets copies from, itself among them.
  __device__ int source(int i) const {
    if (i < Tile::kBelow) {
      return of(i, beside);
    }
    const int other = i - Tile::kBelow;
    return of(below, other < beside ? other : other + 1);
  }
};

// A block's tile, as an index into the group and a place in dW.
struct Place {
  int product = 0, row = 0, col = 0;
};

template <class Tile>
__device__ inline Place place_of(const WeightGradientProducts& group, int tile,
                                 const Rank<Tile>& rank) {
  int product = 0;
  while (product + 1 < group.count && tile >= group.products[product + 1].first) {
    ++product;
  }
  const int in_product = tile - group.products[product].first;
  const int beside = group.products[product].beside;
  return {product, (in_product / beside * Tile::kBelow + rank.below) * Tile::kRows,
          (in_product % beside * Tile::kBeside + rank.beside) * Tile::kCols};
}

__device__ inline void copy_panel(std::uint32_t to, const CUtensorMap& map, int x, int y,
                                  std::uint32_t barrier, std::uint16_t blocks, bool shared) {
  if (shared) {
    hopper::copy_in_to_all(to, map, x, y, barrier, blocks);
  } else {
    hopper::copy_in(to, map, x, y, barrier);
  }
}

template <class Tile>
__device__ inline void produce(const WeightGradientProducts& group, Ring<Tile> ring) {
  constexpr int kLeft = Tile::kLeftPanels / Tile::kBeside;  // panels that this block brings
  constexpr int kRight = Tile::kRightPanels / Tile::kBelow;
  const Rank<Tile> rank(hopper::cluster_rank());
  const std::uint16_t row_blocks = rank.row();
  const std::uint16_t column_blocks = rank.column();
  const int step = static_cast<int>(gridDim.x) / Tile::kCluster;
  for (int tile = static_cast<int>(blockIdx.x) / Tile::kCluster; tile < group.tiles; tile += step) {
    const Place place = place_of(group, tile, rank);
    const WeightGradientProduct& p = group.products[place.product];
    const int depth = p.depth;
    for (int token = 0; token < depth; token += Tile::kDepth) {
      hopper::barrier_wait(ring.empty(), ring.parity ^ 1U);  // wherever this block copies to
      hopper::barrier_expect(ring.full(), Tile::kStageBytes);
#pragma unroll
      for (int i = 0; i < kLeft; ++i) {
        const int panel = rank.beside * kLeft + i;
        copy_panel(ring.left() + panel * Tile::kPanelBytes, p.dy, place.row + panel * Tile::kPanel,
                   token, ring.full(), row_blocks, Tile::kBeside > 1);
      }
#pragma unroll
      for (int i = 0; i < kRight; ++i) {
        const int panel = rank.below * kRight + i;
        copy_panel(ring.right() + panel * Tile::kPanelBytes, p.x, place.col + panel * Tile::kPanel,
                   token, ring.full(), column_blocks, Tile::kBelow > 1);
      }
      ring.advance();
    }
  }
}

// Calls a consumer's part of dW, 64 rows of 256, into the L2 cache.
__device__ inline void call(const WeightGradientProduct& p, int row, int col, int thread) {
  constexpr int kLine = 32;  // elements of a line of the cache
#pragma unroll
  for (int i = 0; i < 64 * 256 / kLine / hopper::kWarpgroup; ++i) {
    const int at = i * hopper::kWarpgroup + thread;
    const int r = row + at / (256 / kLine);
    const int c = col + at % (256 / kLine) * kLine;
    if (p.accumulate != 0 && r < p.rows && c < p.cols) {
      asm volatile("prefetch.global.L2 [%0];" ::"l"(p.dw + r * p.stride + c) : "memory");
    }
  }
}

// A lane's sums go to dW, two of a row at a time.
template <bool kReduce>
__device__ inline void write(const float (&sums)[128], const WeightGradientProduct& p, int row,
                             int col) {
  constexpr int kAtOnce = 16;  // loads on their way
  if (kReduce && p.accumulate != 0) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const bool there = row + 8 * half < p.rows;
      float* to = p.dw + (row + 8 * half) * p.stride + col;
#pragma unroll
      for (int j = 0; j < 32; ++j) {
        const int at = 4 * j + 2 * half;
        if (there && col + 8 * j < p.cols) {
          asm volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %2};" ::"l"(to + 8 * j),
                       "f"(sums[at]), "f"(sums[at + 1])
                       : "memory");
        }
      }
    }
    return;
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const bool there = row + 8 * half < p.rows;
    float* to = p.dw + (row + 8 * half) * p.stride + col;
#pragma unroll
    for (int begin = 0; begin < 32; begin += kAtOnce) {
      float2 values[kAtOnce] = {};
      if (p.accumulate != 0) {
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) {
          if (there && col + 8 * (begin + j) < p.cols) {
            values[j] = *reinterpret_cast<const float2*>(to + 8 * (begin + j));
          }
        }
      }
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j) {
        const int at = 4 * (begin + j) + 2 * half;
        if (there && col + 8 * (begin + j) < p.cols) {
          *reinterpret_cast<float2*>(to + 8 * (begin + j)) =
              make_float2(values[j].x + sums[at], values[j].y + sums[at + 1]);
        }
      }
    }
  }
}

template <class Tile>
__device__ inline void consume(const WeightGradientProducts& group, Ring<Tile> ring, int consumer) {
  const Rank<Tile> rank(hopper::cluster_rank());
  const int thread = static_cast<int>(threadIdx.x) % hopper::kWarpgroup;
  const int lane = thread % 32;
  const int source = rank.source(lane < Tile::kSources ? lane : 0);
  const int clusters = static_cast<int>(gridDim.x) / Tile::kCluster;
  constexpr int kAhead = 16;  // steps
  float sums[128] = {};
  const auto release = [&](const Ring<Tile>& done) {  // the stage, where its copies came from
    if (lane < Tile::kSources) {
      hopper::barrier_arrive(done.empty(), source);
    }
    __syncwarp();
  };
  for (int tile = static_cast<int>(blockIdx.x) / Tile::kCluster; tile < group.tiles;
       tile += clusters) {
    const Place place = place_of(group, tile, rank);
    const WeightGradientProduct& p = group.products[place.product];
    const int steps = (p.depth + Tile::kDepth - 1) / Tile::kDepth;
    Ring<Tile> before = ring;
    for (int step = 0; step < steps; ++step) {
      hopper::barrier_wait(ring.full(), ring.parity);
      const std::uint64_t a =
          hopper::right_operand(ring.left() + consumer * Tile::kPanelBytes, Tile::kPanelBytes);
      const std::uint64_t b = hopper::right_operand(ring.right(), Tile::kPanelBytes);
      hopper::begin_products();
#pragma unroll
      for (int k = 0; k < Tile::kDepth / 16; ++k) {  // offsets in units of 16 bytes
        hopper::multiply<hopper::Left::by_columns>(sums, a + k * (2048 / 16), b + k * (2048 / 16),
                                                   step + k > 0);
      }
      hopper::commit_products();
      if (Tile::kWrite == Write::ahead && step == steps - kAhead) {
        call(p, place.row + consumer * 64, place.col, thread);
      }
      hopper::wait_products<1>();
      if (step > 0) {
        release(before);
      }
      before = ring;
      ring.advance();
    }
    hopper::wait_products<0>();
    hopper::settle(sums);
    release(before);
    write<Tile::kWrite == Write::reduce>(sums, p, place.row + consumer * 64 + thread / 32 * 16 + lane / 4,
          place.col + lane % 4 * 2);
  }
}

}  // namespace weight_gradients

#endif  // YONA_HOPPER

// To be launched in clusters of kCluster blocks. Every product has a depth of at least 1.
template <class Tile>
__global__ void __launch_bounds__(Tile::kThreads, 1)
    weight_gradients_kernel(const __grid_constant__ WeightGradientProducts group) {
#ifdef YONA_HOPPER
  extern __shared__ __align__(1024) unsigned char shared[];
  const std::uint32_t base = hopper::shared_address(shared);
  const weight_gradients::Ring<Tile> ring{base, base + Tile::kBarriersAt, 0, 0};
  const int warpgroup = static_cast<int>(threadIdx.x) / hopper::kWarpgroup;
  if (threadIdx.x == 0) {
    if (base % 1024 != 0) {
      __trap();
    }
    for (int stage = 0; stage < Tile::kStages; ++stage) {
      hopper::barrier_init(ring.barriers + stage * 8, 1);
      hopper::barrier_init(ring.barriers + (Tile::kStages + stage) * 8, Tile::kReleases);
    }
    hopper::fence_barrier_init();
  }
  hopper::cluster_sync();
  if (warpgroup == 0) {
    hopper::give_registers<40>();
    if (threadIdx.x == 0) {
      weight_gradients::produce(group, ring);
    }
  } else {
    hopper::take_registers<232>();
    weight_gradients::consume(group, ring, warpgroup - 1);
  }
  hopper::cluster_sync();  // no block ends while another may arrive at its barriers
#endif
}

}  // namespace yona::cuda
