// A warp's ring of rows in shared memory, each entry for a row of several matrices, which
// asynchronous copies fill while the warp works on rows that have arrived. A lane copies what it
// reads itself, so there are no barriers.
//
// Copies are of 16 bytes, and those of a warp follow each other in memory. So a lane has eight
// neighbours of a chunk's 256 bf16 channels, and of f32 channels four of the first 128 and four of
// the others (LanePack). What is not copied so, a lane reads and writes in the same order
// (LaneChannels).
#pragma once

#include "yona/backend/cuda/norm/evict_first.cuh"

namespace yona::cuda {

// The eight channels of a chunk that are a lane's, in pieces of 16 bytes.
template <class T>
struct LanePack {
  static constexpr int kPieceBytes = 16;
  static constexpr int kPieceChannels = kPieceBytes / static_cast<int>(sizeof(T));
  static constexpr int kPieces = kPack / kPieceChannels;
  static constexpr int kWarpBytes = kLanes * kPieceBytes;  // of a piece

  // The first channel of piece p of chunk k.
  static __device__ int channel(int k, int p, int lane) {
    return k * kChunk + (p * kLanes + lane) * kPieceChannels;
  }
  // The first of four, the first or second half of those of chunk k.
  static __device__ int half_channel(int k, int half, int lane) {
    return kPieces == 2 ? channel(k, half, lane) : channel(k, 0, lane) + 4 * half;
  }
};

// What a lane does with its channels of chunk k in memory.
template <class T, bool kExact>
struct LaneChannels {
  using Pack = LanePack<T>;
  int first, cols;
  int lane = static_cast<int>(threadIdx.x) % kLanes;

  // Of the one row of `from`; beyond it zero.
  __device__ void load(const Rows<float>& from, int k, float (&v)[kPack]) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int channel = Pack::half_channel(k, half, lane);
      const float4 four = kExact || channel < cols
                              ? *reinterpret_cast<const float4*>(from.data + first + channel)
                              : float4{};
      v[4 * half] = four.x, v[4 * half + 1] = four.y;
      v[4 * half + 2] = four.z, v[4 * half + 3] = four.w;
    }
  }
  // Overwrites, or adds to what is there.
  __device__ void put(const Rows<T>& to, std::int64_t row, int k, float (&v)[kPack],
                      bool accumulate) const {
    Raw<T> raw;
    if (accumulate) {
      float there[kPack];
      for_pieces(k, [&](int p, int channel) {
        raw.words[p] = *reinterpret_cast<const uint4*>(to.row(row) + first + channel);
      });
      unpack(raw, there);
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        v[i] += there[i];
      }
    }
    store8(reinterpret_cast<T*>(&raw), v);
    for_pieces(k, [&](int p, int channel) {
      *reinterpret_cast<uint4*>(to.row(row) + first + channel) = raw.words[p];
    });
  }
  // Calls use(p, channel) for the pieces inside the row.
  template <class Use>
  __device__ void for_pieces(int k, const Use& use) const {
#pragma unroll
    for (int p = 0; p < Pack::kPieces; ++p) {
      const int channel = Pack::channel(k, p, lane);
      if (kExact || channel < cols) {
        use(p, channel);
      }
    }
  }
};

// Shape: T, kChunks, of 256 channels each, kExact, that there are so many and not fewer, kStages
// and kBlockWarps.
template <class Shape, int kMatrices>
class RowRing {
  using T = typename Shape::T;
  using Pack = LanePack<T>;
  static constexpr int kChunks = Shape::kChunks, kStages = Shape::kStages;
  static constexpr bool kExact = Shape::kExact;

 public:
  static constexpr int kRowBytes = kChunks * kChunk * static_cast<int>(sizeof(T));
  static constexpr int kStageBytes = kMatrices * kRowBytes;
  static constexpr int kBytes = Shape::kBlockWarps * kStages * kStageBytes;  // of a block

  // For `cols` channels of each row, from channel `first` on.
  // The whole warp takes part: addresses go through a shuffle, each to its own lane. Where ptxas
  // 13.0 sees that they are one base and an offset, it writes copies with a cache policy as
  // LDGSTS [R+UR0], desc[UR1], whatever registers it had filled: an illegal instruction.
  __device__ RowRing(unsigned char* memory, int first, int cols)
      : places_(__shfl_sync(
            0xFFFFFFFFU,
            static_cast<std::uint32_t>(__cvta_generic_to_shared(memory)) + lane_offset(),
            static_cast<int>(threadIdx.x) % kLanes)),
        first_(first),
        cols_(cols) {
    if constexpr (!kExact) {  // channels beyond the row are zero, and stay it
      for (int stage = 0; stage < kStages; ++stage) {
        for (int m = 0; m < kMatrices; ++m) {
          for_pieces([&](int k, int p, int channel) {
            if (channel >= cols_) {
              unsigned char* place = memory + lane_offset() + offset_of(stage, m, k, p);
              *reinterpret_cast<uint4*>(place) = uint4{};
            }
          });
        }
      }
    }
  }

  // Sends for a row, into stage `stage` or, when the row of the present one has been read, there.
  // Without kExact, of the matrices that are there.
  __device__ void fetch(const Rows<T> (&from)[kMatrices], std::int64_t row, int stage) const {
    const std::uint64_t policy = evict_first_policy();
#pragma unroll
    for (int m = 0; m < kMatrices; ++m) {
      if (!kExact && !from[m].there()) {
        continue;
      }
      for_pieces([&](int k, int p, int channel) {
        if (kExact || channel < cols_) {
          const T* piece = from[m].row(row) + first_ + channel;
          const std::uint32_t place = places_ + offset_of(stage, m, k, p);
          asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(place),
                       "l"(piece), "l"(policy)
                       : "memory");
        }
      });
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  __device__ void fetch(const Rows<T> (&from)[kMatrices], std::int64_t row) const {
    fetch(from, row, stage_);
  }
  // Until the row of the present stage is there; `full` says that rows are on their way to all of
  // the stages, of which the others need not have come.
  __device__ void wait(bool full) const {
    if (full) {
      asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 1) : "memory");
    } else {
      asm volatile("cp.async.wait_group %0;" ::"n"(0) : "memory");
    }
  }
  // The lane's pack of chunk k.
  __device__ void read(int matrix, int k, float (&v)[kPack]) const {
    Raw<T> raw;
#pragma unroll
    for (int p = 0; p < Pack::kPieces; ++p) {
      const std::uint32_t place = places_ + offset_of(stage_, matrix, k, p);
      uint4& words = raw.words[p];
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
                   : "r"(place)
                   : "memory");
    }
    unpack(raw, v);
  }
  __device__ void advance() { stage_ = stage_ + 1 == kStages ? 0 : stage_ + 1; }

 private:
  static __device__ std::uint32_t lane_offset() {
    return static_cast<std::uint32_t>(threadIdx.x / kLanes * kStages * kStageBytes +
                                      threadIdx.x % kLanes * Pack::kPieceBytes);
  }
  static __device__ std::uint32_t offset_of(int stage, int matrix, int k, int p) {
    return static_cast<std::uint32_t>(stage * kStageBytes + matrix * kRowBytes +
                                      (k * Pack::kPieces + p) * Pack::kWarpBytes);
  }
  // Calls use(k, p, channel) for the lane's pieces of a row.
  template <class Use>
  static __device__ void for_pieces(const Use& use) {
    const int lane = static_cast<int>(threadIdx.x) % kLanes;
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
#pragma unroll
      for (int p = 0; p < Pack::kPieces; ++p) {
        use(k, p, Pack::channel(k, p, lane));
      }
    }
  }

  std::uint32_t places_;  // the lane's, in the warp's first stage
  int first_, cols_;
  int stage_ = 0;
};

}  // namespace yona::cuda
