// y = LN(x + a Wᵀ + b) for few rows, on Hopper: product, residual sum and norm in one kernel.
//
//   a [rows, depth], W [width, depth], x, s, y [rows, width], all bf16 and row-major, b too; weight
//   and bias of the norm f32. The depth is a multiple of 64 · kSplit. Roundings are those of matmul
//   and residual_norm.
//
// A cluster takes kTokens rows. Its blocks are kGroups groups of 64 channels, which make up the
// width, times kSplit parts of the depth. W is the A operand and tokens are the B operand, whose
// side may be narrow, so that few rows waste no arithmetic. Two producer threads issue TMA copies
// into a ring of stages, each 64 deep, one of weights and one of tokens; a consumer warpgroup
// multiplies and runs the epilogue (gemm/linear_norm_epilogue.cuh).
#pragma once

#include "yona/backend/cuda/gemm/linear_norm_epilogue.cuh"
#include "yona/backend/cuda/gemm/wgmma_narrow.cuh"

namespace yona::cuda {

#ifdef YONA_HOPPER

namespace linear_norm {

struct Ring {
  std::uint32_t base = 0;
  std::uint32_t barriers = 0;  // full and empty ones in turn
  int stages = 0;
  int stage_bytes = 0;
  int stage = 0;
  std::uint32_t parity = 0;

  __device__ std::uint32_t left() const { return base + stage * stage_bytes; }
  __device__ std::uint32_t full() const { return barriers + stage * 16; }
  __device__ std::uint32_t empty() const { return full() + 8; }
  __device__ void advance() {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1U;
    }
  }
};

// One thread asks for weights, another for tokens: neither waits for the other.
template <class Tile>
__device__ void produce_weights(const CUtensorMap& w, const LinearNorm& p, const Place<Tile>& place,
                                Ring ring) {
  for (int step = 0; step < p.steps; ++step) {
    if (step >= ring.stages) {
      hopper::barrier_wait(ring.empty(), ring.parity ^ 1U);
    }
    hopper::barrier_expect(ring.full(), Tile::kStageBytes);
    hopper::copy_in(ring.left(), w, (place.part * p.steps + step) * Tile::kDepth,
                    place.group * Tile::kChannels, ring.full());
    ring.advance();
  }
}

template <class Tile>
__device__ void produce_tokens(const CUtensorMap& a, const LinearNorm& p, const Place<Tile>& place,
                               Ring ring) {
  for (int step = 0; step < p.steps; ++step) {
    if (step >= ring.stages) {
      hopper::barrier_wait(ring.empty(), ring.parity ^ 1U);
    }
    hopper::copy_in(ring.left() + Tile::kLeftBytes, a, (place.part * p.steps + step) * Tile::kDepth,
                    place.row, ring.full());
    ring.advance();
  }
}

// The products of this block's part of the depth; sums are complete when this returns.
template <class Tile>
__device__ void multiply_steps(float (&sums)[Tile::kTokens / 2], Ring ring, int steps) {
  const bool signals = threadIdx.x % 32 == 0;
  Ring before = ring;
  for (int step = 0; step < steps; ++step) {
    hopper::barrier_wait(ring.full(), ring.parity);
    const std::uint64_t weights = hopper::left_operand(ring.left());
    const std::uint64_t tokens = hopper::left_operand(ring.left() + Tile::kLeftBytes);
    hopper::begin_products();
#pragma unroll
    for (int k = 0; k < 4; ++k) {  // 16 deep each, offsets in units of 16 bytes
      hopper::multiply_rows<Tile::kTokens>(sums, weights + k * 2, tokens + k * 2, step + k > 0);
    }
    hopper::commit_products();
    hopper::wait_products<1>();
    if (step > 0 && signals) {
      hopper::barrier_arrive_here(before.empty());
    }
    __syncwarp();
    before = ring;
    ring.advance();
  }
  hopper::wait_products<0>();
  hopper::settle(sums);
}

constexpr int kBeginning = 1;  // of all threads

// One warp initialises the barriers, which are not used before all of them are there.
template <class Tile>
__device__ void make_barriers(const LinearNorm& p, std::uint32_t barriers) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (lane < p.stages) {
    hopper::barrier_init(barriers + lane * 16, 1);
    hopper::barrier_init(barriers + lane * 16 + 8, hopper::kWarpgroup / 32);
  }
  const std::uint32_t parts = barriers + Tile::kMostStages * 16;
  if (lane == 0) {
    hopper::barrier_init(parts, 1);
    hopper::barrier_init(parts + 8, 1);
  }
  hopper::fence_barrier_init();
  __syncwarp();
  if (lane == 0) {
    hopper::barrier_expect(parts, Tile::kOwn * Tile::kChannels * 4);
    hopper::barrier_expect(parts + 8, Tile::kMomentsBytes);
  }
  __syncwarp();
}

}  // namespace linear_norm

#endif  // YONA_HOPPER

// To be launched in clusters of Tile::kCluster blocks, one for each kTokens rows.
template <class Tile>
__global__ void __launch_bounds__(Tile::kThreads)
    linear_norm_kernel(const __grid_constant__ CUtensorMap w, const __grid_constant__ CUtensorMap a,
                       const LinearNorm p) {
#ifdef YONA_HOPPER
  using namespace linear_norm;
  extern __shared__ __align__(1024) unsigned char shared[];
  unsigned char* rest = shared + p.stages * Tile::kStageBytes;
  const std::uint32_t barriers = hopper::shared_address(rest) + Tile::kBarriersAt;
  const Ring ring{hopper::shared_address(shared), barriers, p.stages, Tile::kStageBytes};
  const Place<Tile> place;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  constexpr int kWeights = hopper::kWarpgroup / 32;  // the warp that asks for them
  if (warp == kWeights) {
    make_barriers<Tile>(p, barriers);
    hopper::arrive(kBeginning, Tile::kThreads);
  } else {
    if (warp > kWeights && lane == 0) {
      hopper::prefetch_map(a);
    }
    hopper::meet(kBeginning, Tile::kThreads);
  }
  hopper::cluster_arrive();
  if (warp < kWeights) {
    const Needed<Tile> needed(p, place);  // asked for before the products
    float sums[Tile::kTokens / 2] = {};
    multiply_steps<Tile>(sums, ring, p.steps);
    hopper::cluster_wait();  // the barriers of all blocks are there
    end_rows(sums, p, place, needed, rest);
  } else {
    if (lane == 0 && warp == kWeights) {
      produce_weights(w, p, place, ring);
    } else if (lane == 0) {
      produce_tokens(a, p, place, ring);
    }
    __syncwarp();
    hopper::cluster_wait();
  }
#endif
}

}  // namespace yona::cuda
