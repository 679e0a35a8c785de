// The epilogue of gemm/linear_norm.cuh: adds up the parts of the depth, then residual sum and norm.
// Blocks that share a row's depth send each other the sums of the tokens that the other one
// finishes: kOwn = kTokens / kSplit to each. Thread t then has eight channels, 8 (t % 8) …, of
// tokens t / 8 + 16 i. Mean and squared deviations of 64 channels go to all groups, which combine
// them in the order of groups (Chan et al. 1979): one exchange, and the same result in every block
// and run.
#pragma once

#include <cuda_bf16.h>

#include "yona/backend/cuda/common/cluster.cuh"
#include "yona/backend/cuda/common/rows.cuh"

namespace yona::cuda {

template <int kGroups_, int kTokens_, int kSplit_>
struct LinearNormTile {
  static constexpr int kGroups = kGroups_, kTokens = kTokens_, kSplit = kSplit_;
  static constexpr int kCluster = kGroups * kSplit;
  static constexpr int kChannels = 64;  // of a block
  static constexpr int kWidth = kGroups * kChannels;
  static constexpr int kDepth = 64;              // of a stage
  static constexpr int kOwn = kTokens / kSplit;  // rows that a block finishes
  static constexpr int kThreads = hopper::kWarpgroup + 2 * 32;
  static constexpr int kRow = kChannels + 4;  // floats between tokens, for different banks
  static constexpr int kLeftBytes = kChannels * kDepth * 2;
  static constexpr int kStageBytes = kLeftBytes + kTokens * kDepth * 2;
  static constexpr int kPartBytes = kOwn * kRow * 4;
  static constexpr int kMomentsBytes = kGroups * kOwn * 8;
  static constexpr int kMostStages = 24;
  // Behind the stages: the parts of the depth, the moments of the groups, barriers.
  static constexpr int kMomentsAt = kSplit * kPartBytes;
  static constexpr int kBarriersAt = kMomentsAt + kMomentsBytes;
  static constexpr int kRestBytes = kBarriersAt + (2 * kMostStages + 2) * 8;

  static constexpr int shared_bytes(int stages) { return stages * kStageBytes + kRestBytes; }
  static_assert(kSplit <= 2 && kCluster <= 16 && kOwn >= 4);
};

struct LinearNorm {
  const bf16* bias = nullptr;  // or none
  const bf16* x = nullptr;
  std::int64_t x_stride = 0;
  bf16* s = nullptr;  // where it is asked for
  std::int64_t s_stride = 0;
  bf16* y = nullptr;
  std::int64_t y_stride = 0;
  const float* weight = nullptr;
  const float* norm_bias = nullptr;
  float epsilon = 0.0F;
  int rows = 0;
  int steps = 0;   // stages of a block's part of the depth
  int stages = 0;  // of the ring
};

#ifdef YONA_HOPPER

namespace linear_norm {

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

// What a thread needs for the end of its rows.
template <class Tile>
struct Needed {
  static constexpr int kPacks = Tile::kOwn > 16 ? Tile::kOwn / 16 : 1;
  int token = static_cast<int>(threadIdx.x) / 8;  // and those 16 i further
  int piece = static_cast<int>(threadIdx.x) % 8;
  bool works = token < Tile::kOwn;  // a whole warp or none of it
  int first_row, channel;
  Raw<bf16> bias{};
  Raw<bf16> x[kPacks]{};
  float weight[kPack], norm_bias[kPack];

  __device__ Needed(const LinearNorm& p, const Place<Tile>& place)
      : first_row(place.row + place.part * Tile::kOwn),
        channel(place.group * Tile::kChannels + piece * kPack) {
    if (p.bias != nullptr) {
      bias = *reinterpret_cast<const Raw<bf16>*>(p.bias + channel);
    }
    load8(p.weight + channel, weight);
    load8(p.norm_bias + channel, norm_bias);
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      const int row = first_row + token + 16 * i;
      if (works && row < p.rows) {
        x[i] = *reinterpret_cast<const Raw<bf16>*>(p.x + row * p.x_stride + channel);
      }
    }
  }
};

// Puts this thread's sums where the block that finishes their tokens reads them.
template <class Tile>
__device__ void share_sums(const float (&sums)[Tile::kTokens / 2], const Place<Tile>& place,
                           unsigned char* rest) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::uint32_t barrier =
      hopper::shared_address(rest) + Tile::kBarriersAt + Tile::kMostStages * 16;
  unsigned char* mine = rest + place.part * Tile::kPartBytes;
  std::uint32_t others = 0;
  std::uint32_t other_barrier = 0;
  if constexpr (Tile::kSplit > 1) {
    const int other = (1 - place.part) * Tile::kGroups + place.group;
    others = hopper::address_in(hopper::shared_address(mine), other);
    other_barrier = hopper::address_in(barrier, other);
  }
#pragma unroll
  for (int i = 0; i < Tile::kTokens / 2; ++i) {
    const int token = i / 4 * 8 + lane % 4 * 2 + i % 2;
    const int channel = warp * 16 + lane / 4 + i / 2 % 2 * 8;
    const int at = token % Tile::kOwn * Tile::kRow + channel;
    if (Tile::kSplit == 1 || token / Tile::kOwn == place.part) {
      reinterpret_cast<float*>(mine)[at] = sums[i];
    } else {
      hopper::send(others + at * 4, sums[i], other_barrier);
    }
  }
  if constexpr (Tile::kSplit > 1) {
    hopper::barrier_wait_cluster(barrier, 0);
  }
  constexpr int kMeeting = 2;  // of those that multiply
  hopper::meet(kMeeting, hopper::kWarpgroup);
}

// s of this thread's token i and its moments over this block's channels, which go to all groups.
template <class Tile>
__device__ void add_up(float (&s)[kPack], int i, const Place<Tile>& place,
                       const Needed<Tile>& needed, unsigned char* rest) {
  const int token = needed.token + 16 * i;
  const auto* parts =
      reinterpret_cast<const float*>(rest) + token * Tile::kRow + needed.piece * kPack;
  float x[kPack];
  float bias[kPack];
  unpack(needed.x[i], x);
  unpack(needed.bias, bias);
  load8(parts, s);
  if constexpr (Tile::kSplit > 1) {
    float more[kPack];
    load8(parts + Tile::kPartBytes / 4, more);
#pragma unroll
    for (int e = 0; e < kPack; ++e) {
      s[e] += more[e];
    }
  }
  float sum = 0.0F;
#pragma unroll
  for (int e = 0; e < kPack; ++e) {
    s[e] = rounded<bf16>(x[e] + rounded<bf16>(s[e] + bias[e]));
    sum += s[e];
  }
  const float mean = sum_of_eight(sum) / Tile::kChannels;
  float squares = 0.0F;
#pragma unroll
  for (int e = 0; e < kPack; ++e) {
    squares += (s[e] - mean) * (s[e] - mean);
  }
  squares = sum_of_eight(squares);
  const std::uint32_t base = hopper::shared_address(rest);
  const int at = Tile::kMomentsAt + (place.group * Tile::kOwn + token) * 8;
#pragma unroll
  for (int to = 0; to < Tile::kGroups; to += 8) {
    if (to + needed.piece < Tile::kGroups) {
      const int rank = place.part * Tile::kGroups + to + needed.piece;
      hopper::send(hopper::address_in(base + at, rank), mean, squares,
                   hopper::address_in(base + Tile::kBarriersAt + Tile::kMostStages * 16 + 8, rank));
    }
  }
}

template <class Tile>
__device__ void normalise(float (&s)[kPack], int i, const LinearNorm& p, const Needed<Tile>& needed,
                          const unsigned char* rest) {
  const int token = needed.token + 16 * i;
  const int row = needed.first_row + token;
  const auto* moments = reinterpret_cast<const float2*>(rest + Tile::kMomentsAt);
  float2 of[Tile::kGroups];
  float mean = 0.0F;
#pragma unroll
  for (int g = 0; g < Tile::kGroups; ++g) {
    of[g] = moments[g * Tile::kOwn + token];
    mean += of[g].x;
  }
  mean /= Tile::kGroups;
  float squares = 0.0F;
#pragma unroll
  for (int g = 0; g < Tile::kGroups; ++g) {
    squares += of[g].y + Tile::kChannels * (of[g].x - mean) * (of[g].x - mean);
  }
  const float rstd = rsqrtf(squares / Tile::kWidth + p.epsilon);
  if (row >= p.rows) {
    return;
  }
  if (p.s != nullptr) {
    store8(p.s + row * p.s_stride + needed.channel, s);
  }
#pragma unroll
  for (int e = 0; e < kPack; ++e) {
    s[e] = (s[e] - mean) * rstd * needed.weight[e] + needed.norm_bias[e];
  }
  store8(p.y + row * p.y_stride + needed.channel, s);
}

template <class Tile>
__device__ void end_rows(const float (&sums)[Tile::kTokens / 2], const LinearNorm& p,
                         const Place<Tile>& place, const Needed<Tile>& needed,
                         unsigned char* rest) {
  share_sums(sums, place, rest);
  float s[Needed<Tile>::kPacks][kPack];
  if (needed.works) {
#pragma unroll
    for (int i = 0; i < Needed<Tile>::kPacks; ++i) {
      add_up(s[i], i, place, needed, rest);
    }
  }
  hopper::barrier_wait_cluster(
      hopper::shared_address(rest) + Tile::kBarriersAt + Tile::kMostStages * 16 + 8, 0);
  if (needed.works) {
#pragma unroll
    for (int i = 0; i < Needed<Tile>::kPacks; ++i) {
      normalise(s[i], i, p, needed, rest);
    }
  }
}

}  // namespace linear_norm

#endif  // YONA_HOPPER

}  // namespace yona::cuda
