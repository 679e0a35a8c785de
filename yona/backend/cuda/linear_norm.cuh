// y = LN(x + a Wᵀ + b) for few rows, on Hopper: product, residual sum and norm in one kernel, and
// behind them, where asked, the product that follows: z = activation(y Vᵀ + c).
//
//   a [rows, depth], W [width, depth], x, s, y [rows, width], V [outputs, width], z [rows,
//   outputs], all bf16 and row-major, biases too; weight and bias of the norm f32. Depth and
//   outputs are multiples of 64 · kSplit and 64 · kGroups. Roundings are those of linear and
//   residual_norm.
//
// A cluster takes kTokens rows. Its blocks are kGroups groups of 64 channels, which make up the
// width, times kSplit parts of the depth. W is the left operand of products, tokens the right one,
// so that few of them waste nothing. Two threads have the copy engine fill a ring of stages, each
// 64 deep; weights do not depend on what ran before, so that they are asked for while the kernel in
// front may still run. Parts of the depth send each other the sums of the tokens that the other
// one finishes: kOwn = kTokens / kSplit to each.
//
// Thread t then has eight channels, 8 (t % 8) …, of tokens t / 8 + 16 i. Mean and squares about it
// over 64 channels go to all groups, which combine them in the order of groups (Chan et al. 1979):
// one exchange, and the same result in every block and run.
//
// y goes to all groups as one of the right operands of the second product, each of whose tiles of
// 64 outputs some block computes, with weights that came through the ring in the meantime.
#pragma once

#include <cuda_bf16.h>

#include "yona/backend/cuda/cluster.cuh"
#include "yona/backend/cuda/wgmma_narrow.cuh"

namespace yona::cuda {

template <int kGroups_, int kTokens_, int kSplit_, bool kNext_>
struct LinearNormTile {
  static constexpr int kGroups = kGroups_, kTokens = kTokens_, kSplit = kSplit_;
  static constexpr bool kNext = kNext_;
  static constexpr int kCluster = kGroups * kSplit;
  static constexpr int kChannels = 64;  // of a block
  static constexpr int kWidth = kGroups * kChannels;
  static constexpr int kDepth = 64;              // of a stage
  static constexpr int kOwn = kTokens / kSplit;  // rows that a block finishes
  static constexpr int kThreads = hopper::kWarpgroup + 2 * 32;
  static constexpr int kRow = kChannels + 4;  // floats between tokens, for different banks
  static constexpr int kLeftBytes = kChannels * kDepth * 2;
  static constexpr int kRightBytes = kTokens * kDepth * 2;
  static constexpr int kStageBytes = kLeftBytes + kRightBytes;
  static constexpr int kNormedBytes = kOwn * kChannels * 2;  // y of one group
  static constexpr int kPartBytes = kOwn * kRow * 4;
  static constexpr int kMomentsBytes = kGroups * kOwn * 8;
  static constexpr int kMostStages = 24;
  static constexpr int kBarrierBytes = (2 * kMostStages + 3) * 8;
  // Behind the stages:
  static constexpr int kNormedAt = 0;  // of all groups, then of this one
  static constexpr int kPartsAt = kNext ? (kGroups + 1) * kNormedBytes : 0;
  static constexpr int kMomentsAt = kPartsAt + kSplit * kPartBytes;
  static constexpr int kBarriersAt = kMomentsAt + kMomentsBytes;
  static constexpr int kRestBytes = kBarriersAt + kBarrierBytes;

  static constexpr int shared_bytes(int stages) { return stages * kStageBytes + kRestBytes; }
  static_assert(kCluster <= 16 && kOwn >= 4 && (!kNext || kOwn >= 8));
};

struct LinearNorm {
  const __nv_bfloat16* bias = nullptr;  // or none
  const __nv_bfloat16* x = nullptr;
  std::int64_t x_stride = 0;
  __nv_bfloat16* s = nullptr;  // where it is asked for
  std::int64_t s_stride = 0;
  __nv_bfloat16* y = nullptr;
  std::int64_t y_stride = 0;
  const float* weight = nullptr;
  const float* norm_bias = nullptr;
  float epsilon = 0.0F;
  int rows = 0;
  int steps = 0;   // stages of a block's part of the depth
  int stages = 0;  // of the ring
  // The second product.
  const __nv_bfloat16* next_bias = nullptr;
  __nv_bfloat16* z = nullptr;
  std::int64_t z_stride = 0;
  int next_tiles = 0;  // of a block
  bool relu = false;
  bool early = false;  // the next kernel may come up when this one has
};

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

// Eight bf16 as floats and back.
__device__ inline void unpack(const uint4& words, float (&v)[8]) {
  const std::uint32_t word[4] = {words.x, words.y, words.z, words.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    v[2 * i] = __uint_as_float(word[i] << 16U);
    v[2 * i + 1] = __uint_as_float(word[i] & 0xFFFF0000U);
  }
}
__device__ inline uint4 pack(const float (&v)[8]) {
  std::uint32_t word[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(v[2 * i], v[2 * i + 1]);
    word[i] = *reinterpret_cast<const std::uint32_t*>(&pair);
  }
  return {word[0], word[1], word[2], word[3]};
}
__device__ inline float rounded(float x) { return __bfloat162float(__float2bfloat16_rn(x)); }

__device__ inline uint4 read_pack(const __nv_bfloat16* from, bool there) {
  return there ? *reinterpret_cast<const uint4*>(from) : uint4{};
}
__device__ inline void read_floats(const float* from, float (&v)[8]) {
  const float4 a = *reinterpret_cast<const float4*>(from);
  const float4 b = *reinterpret_cast<const float4*>(from + 4);
  v[0] = a.x, v[1] = a.y, v[2] = a.z, v[3] = a.w;
  v[4] = b.x, v[5] = b.y, v[6] = b.z, v[7] = b.w;
}

// Over the eight lanes that share a token.
__device__ inline float sum_of_eight(float x) {
#pragma unroll
  for (int distance = 1; distance < 8; distance *= 2) {
    x += __shfl_xor_sync(0xFFFFFFFFU, x, distance);
  }
  return x;
}

// Which block this is.
template <class Tile>
struct Place {
  int rank = hopper::cluster_rank();
  int group = rank % Tile::kGroups;
  int part = rank / Tile::kGroups;
  int row = static_cast<int>(blockIdx.x) / Tile::kCluster * Tile::kTokens;  // the cluster's first
};

// One thread asks for weights, of both products, another for tokens: neither waits for the other.
template <class Tile>
__device__ void produce_weights(const CUtensorMap& w, const CUtensorMap& v, const LinearNorm& p,
                                const Place<Tile>& place, Ring ring) {
  const int all = p.steps + (Tile::kNext ? p.next_tiles * Tile::kGroups : 0);
  for (int step = 0; step < all; ++step) {
    if (step >= ring.stages) {
      hopper::barrier_wait(ring.empty(), ring.parity ^ 1U);
    }
    if (step < p.steps) {
      hopper::barrier_expect(ring.full(), Tile::kStageBytes);
      hopper::copy_in(ring.left(), w, (place.part * p.steps + step) * Tile::kDepth,
                      place.group * Tile::kChannels, ring.full());
    } else {
      const int next = step - p.steps;
      const int tile = next / Tile::kGroups * Tile::kGroups + place.group;
      hopper::barrier_expect(ring.full(), Tile::kLeftBytes);
      hopper::copy_in(ring.left(), v, next % Tile::kGroups * Tile::kDepth, tile * Tile::kChannels,
                      ring.full());
    }
    ring.advance();
  }
}

template <class Tile>
__device__ void produce_tokens(const CUtensorMap& a, const LinearNorm& p, const Place<Tile>& place,
                               Ring ring) {
  hopper::wait_for_previous();
  for (int step = 0; step < p.steps; ++step) {
    if (step >= ring.stages) {
      hopper::barrier_wait(ring.empty(), ring.parity ^ 1U);
    }
    hopper::copy_in(ring.left() + Tile::kLeftBytes, a, (place.part * p.steps + step) * Tile::kDepth,
                    place.row, ring.full());
    ring.advance();
  }
}

// Steps of a product; sums are complete when this returns, and its stages empty. right(ring, step)
// is the address of the right operand.
template <int kRows, class Right>
__device__ void multiply_steps(float (&sums)[kRows / 2], Ring& ring, int steps,
                               const Right& right) {
  const bool signals = threadIdx.x % 32 == 0;
  Ring before = ring;
  for (int step = 0; step < steps; ++step) {
    hopper::barrier_wait(ring.full(), ring.parity);
    const std::uint64_t a = hopper::left_operand(ring.left());
    const std::uint64_t b = hopper::left_operand(right(ring, step));
    hopper::begin_products();
#pragma unroll
    for (int k = 0; k < 4; ++k) {  // 16 deep each, offsets in units of 16 bytes
      hopper::multiply_rows<kRows>(sums, a + k * 2, b + k * 2, step + k > 0);
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
  hopper::settle_sums(sums);
  if (signals) {
    hopper::barrier_arrive_here(before.empty());
  }
  __syncwarp();
}

// Calls function(i, token, channel) for the sums of this lane.
template <int kRows, class Function>
__device__ void for_sums(const Function& function) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int i = 0; i < kRows / 2; ++i) {
    function(i, i / 4 * 8 + lane % 4 * 2 + i % 2, warp * 16 + lane / 4 + i / 2 % 2 * 8);
  }
}

constexpr int kBeginning = 1;  // of all threads
constexpr int kMeeting = 2;    // of those that multiply

template <class Tile>
__device__ void consume(const LinearNorm& p, const Place<Tile>& place, Ring ring,
                        unsigned char* rest) {
  constexpr int kOwn = Tile::kOwn;
  constexpr int kPacks = kOwn > 16 ? kOwn / 16 : 1;  // of a thread
  const int thread = static_cast<int>(threadIdx.x);
  const int own_token = thread / 8;
  const int piece = thread % 8;
  const bool works = own_token < kOwn;  // a whole warp or none of it
  const int first_row = place.row + place.part * kOwn;
  const int channel = place.group * Tile::kChannels + piece * 8;
  const std::uint32_t rest_address = hopper::shared_address(rest);
  const std::uint32_t parts_barrier = ring.barriers + Tile::kMostStages * 16;
  const std::uint32_t moments_barrier = parts_barrier + 8;
  const std::uint32_t normed_barrier = parts_barrier + 16;
  auto* parts = reinterpret_cast<float*>(rest + Tile::kPartsAt);
  auto* moments = reinterpret_cast<float2*>(rest + Tile::kMomentsAt);

  // What the end needs is asked for before the products.
  const uint4 raw_bias = read_pack(p.bias + channel, p.bias != nullptr);
  float weight[8];
  float norm_bias[8];
  read_floats(p.weight + channel, weight);
  read_floats(p.norm_bias + channel, norm_bias);
  hopper::wait_for_previous();
  uint4 raw_x[kPacks];
#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
    const int row = first_row + own_token + 16 * i;
    raw_x[i] = read_pack(p.x + row * p.x_stride + channel, works && row < p.rows);
  }

  float sums[Tile::kTokens / 2] = {};
  multiply_steps<Tile::kTokens>(sums, ring, p.steps,
                                [](const Ring& at, int) { return at.left() + Tile::kLeftBytes; });
  hopper::cluster_wait();  // the barriers of all blocks are there

  const int other = place.part == 0 ? Tile::kGroups + place.group : place.group;
  const std::uint32_t other_parts =
      Tile::kSplit == 1 ? 0
                        : hopper::address_in(
                              rest_address + Tile::kPartsAt + place.part * Tile::kPartBytes, other);
  const std::uint32_t other_barrier =
      Tile::kSplit == 1 ? 0 : hopper::address_in(parts_barrier, other);
  for_sums<Tile::kTokens>([&](int i, int token, int c) {
    const int at = token % kOwn * Tile::kRow + c;
    if (Tile::kSplit == 1 || token / kOwn == place.part) {
      parts[place.part * (Tile::kPartBytes / 4) + at] = sums[i];
    } else {
      hopper::send(other_parts + at * 4, sums[i], other_barrier);
    }
  });
  if constexpr (Tile::kSplit > 1) {
    hopper::barrier_wait_cluster(parts_barrier, 0);
  }
  hopper::meet(kMeeting, hopper::kWarpgroup);

  float s[kPacks][8];
  if (works) {
    float bias[8];
    unpack(raw_bias, bias);
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      const int token = own_token + 16 * i;
      float x[8];
      unpack(raw_x[i], x);
      read_floats(parts + token * Tile::kRow + piece * 8, s[i]);
      if constexpr (Tile::kSplit > 1) {
        float more[8];
        read_floats(parts + Tile::kPartBytes / 4 + token * Tile::kRow + piece * 8, more);
#pragma unroll
        for (int e = 0; e < 8; ++e) {
          s[i][e] += more[e];
        }
      }
      float sum = 0.0F;
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        s[i][e] = rounded(x[e] + rounded(s[i][e] + bias[e]));
        sum += s[i][e];
      }
      const float mean = sum_of_eight(sum) / Tile::kChannels;
      float squares = 0.0F;
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        squares += (s[i][e] - mean) * (s[i][e] - mean);
      }
      squares = sum_of_eight(squares);
#pragma unroll
      for (int to = 0; to < Tile::kGroups; to += 8) {
        if (to + piece < Tile::kGroups) {
          const int rank = place.part * Tile::kGroups + to + piece;
          const int at = (place.group * kOwn + token) * static_cast<int>(sizeof(float2));
          hopper::send(hopper::address_in(rest_address + Tile::kMomentsAt + at, rank), mean,
                       squares, hopper::address_in(moments_barrier, rank));
        }
      }
    }
  }
  hopper::barrier_wait_cluster(moments_barrier, 0);
  if (works) {
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      const int token = own_token + 16 * i;
      const int row = first_row + token;
      float2 of[Tile::kGroups];
      float mean = 0.0F;
#pragma unroll
      for (int g = 0; g < Tile::kGroups; ++g) {
        of[g] = moments[g * kOwn + token];
        mean += of[g].x;
      }
      mean /= Tile::kGroups;
      float squares = 0.0F;
#pragma unroll
      for (int g = 0; g < Tile::kGroups; ++g) {
        squares += of[g].y + Tile::kChannels * (of[g].x - mean) * (of[g].x - mean);
      }
      const float rstd = rsqrtf(squares / Tile::kWidth + p.epsilon);
      if (p.s != nullptr && row < p.rows) {
        *reinterpret_cast<uint4*>(p.s + row * p.s_stride + channel) = pack(s[i]);
      }
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        s[i][e] = (s[i][e] - mean) * rstd * weight[e] + norm_bias[e];
      }
      const uint4 y = pack(s[i]);
      if (row < p.rows) {
        *reinterpret_cast<uint4*>(p.y + row * p.y_stride + channel) = y;
      }
      if constexpr (Tile::kNext) {
        *reinterpret_cast<uint4*>(rest + Tile::kNormedAt + Tile::kGroups * Tile::kNormedBytes +
                                  token * 128 + (piece ^ (token % 8)) * 16) = y;
      }
    }
  }

  if constexpr (Tile::kNext) {
    hopper::fence_for_copies();
    hopper::meet(kMeeting, hopper::kWarpgroup);
    const std::uint32_t normed = rest_address + Tile::kNormedAt;
    if (thread < Tile::kGroups) {
      const int rank = place.part * Tile::kGroups + thread;
      hopper::copy_to(hopper::address_in(normed + place.group * Tile::kNormedBytes, rank),
                      normed + Tile::kGroups * Tile::kNormedBytes, Tile::kNormedBytes,
                      hopper::address_in(normed_barrier, rank));
    }
    __syncwarp();
    hopper::barrier_wait_cluster(normed_barrier, 0);
    __syncwarp();
    hopper::cluster_arrive();  // what came from others has come
    for (int tile = 0; tile < p.next_tiles; ++tile) {
      float outputs[kOwn / 2] = {};
      multiply_steps<kOwn>(outputs, ring, Tile::kGroups, [&](const Ring&, int step) {
        return normed + step * Tile::kNormedBytes;
      });
      const int column = (tile * Tile::kGroups + place.group) * Tile::kChannels + piece * 8;
      const uint4 raw = read_pack(p.next_bias + column, p.next_bias != nullptr);
      hopper::meet(kMeeting, hopper::kWarpgroup);  // the tile before has been read
      for_sums<kOwn>([&](int i, int token, int c) { parts[token * Tile::kRow + c] = outputs[i]; });
      hopper::meet(kMeeting, hopper::kWarpgroup);
      if (works) {
        float bias[8];
        unpack(raw, bias);
#pragma unroll
        for (int i = 0; i < kPacks; ++i) {
          const int token = own_token + 16 * i;
          float z[8];
          read_floats(parts + token * Tile::kRow + piece * 8, z);
#pragma unroll
          for (int e = 0; e < 8; ++e) {
            z[e] += bias[e];
            z[e] = p.relu ? fmaxf(z[e], 0.0F) : z[e];
          }
          if (first_row + token < p.rows) {
            *reinterpret_cast<uint4*>(p.z + (first_row + token) * p.z_stride + column) = pack(z);
          }
        }
      }
    }
    __syncwarp();
    hopper::cluster_wait();  // no block ends while another reads from it
  }
}

}  // namespace linear_norm

#endif  // YONA_HOPPER

// To be launched in clusters of Tile::kCluster blocks, one for each kTokens rows.
template <class Tile>
__global__ void __launch_bounds__(Tile::kThreads)
    linear_norm_kernel(const __grid_constant__ CUtensorMap w, const __grid_constant__ CUtensorMap a,
                       const __grid_constant__ CUtensorMap v, const LinearNorm p) {
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
    if (lane < p.stages) {
      hopper::barrier_init(barriers + lane * 16, 1);
      hopper::barrier_init(barriers + lane * 16 + 8, hopper::kWarpgroup / 32);
    }
    if (lane == 0) {
      if (hopper::shared_address(shared) % 1024 != 0) {
        __trap();
      }
      const std::uint32_t exchange = barriers + Tile::kMostStages * 16;
      const int bytes[] = {Tile::kOwn * Tile::kChannels * 4, Tile::kMomentsBytes,
                           Tile::kGroups * Tile::kNormedBytes};
      for (int i = 0; i < 3; ++i) {
        hopper::barrier_init(exchange + i * 8, 1);
        hopper::barrier_expect(exchange + i * 8, bytes[i]);
      }
    }
    hopper::fence_barrier_init();
    __syncwarp();
    hopper::meet_without_waiting(kBeginning, Tile::kThreads);
  } else {
    if (warp > kWeights && lane == 0) {
      hopper::prefetch_map(a);
    }
    hopper::meet(kBeginning, Tile::kThreads);
  }
  hopper::cluster_arrive();
  if (p.early) {
    hopper::let_next_begin();
  }
  if (warp < kWeights) {
    consume(p, place, ring, rest);
  } else {
    if (lane == 0 && warp == kWeights) {
      produce_weights(w, v, p, place, ring);
    } else if (lane == 0) {
      produce_tokens(a, p, place, ring);
    }
    __syncwarp();
    hopper::cluster_wait();
    if constexpr (Tile::kNext) {
      hopper::cluster_arrive();
      hopper::cluster_wait();
    }
  }
#endif
}

}  // namespace yona::cuda
