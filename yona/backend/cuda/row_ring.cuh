// Rows on their way: a warp's ring of places in shared memory, each for a row of several matrices,
// which asynchronous copies fill while the warp works on rows that have come. A lane copies the
// packs that it reads itself, so that nobody waits for another and there are no barriers.
#pragma once

#include "yona/backend/cuda/passing.cuh"

namespace yona::cuda {

template <int kChunks, int kMatrices, int kStages>
class RowRing {
 public:
  static constexpr int kRowBytes = kChunks * kChunk * static_cast<int>(sizeof(bf16));
  static constexpr int kStageBytes = kMatrices * kRowBytes;
  static constexpr int kBytes = kWarps * kStages * kStageBytes;  // of a block

  __device__ explicit RowRing(const void* memory)
      : places_(static_cast<std::uint32_t>(__cvta_generic_to_shared(memory)) +
                static_cast<std::uint32_t>(threadIdx.x / kLanes * kStages * kStageBytes +
                                           threadIdx.x % kLanes * kPackBytes)) {}

  // Sends for a row, into stage `stage` or, when the row of the present one has been read, there.
  __device__ void fetch(const Rows<bf16> (&from)[kMatrices], std::int64_t row, int stage) const {
    const std::uint64_t policy = passing();
    const std::int64_t channel = static_cast<int>(threadIdx.x) % kLanes * kPack;
#pragma unroll
    for (int m = 0; m < kMatrices; ++m) {
#pragma unroll
      for (int k = 0; k < kChunks; ++k) {
        const bf16* pack = from[m].row(row) + channel + k * kChunk;
        const std::uint32_t place = place_of(stage, m, k);
        asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(place),
                     "l"(pack), "l"(policy)
                     : "memory");
      }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  __device__ void fetch(const Rows<bf16> (&from)[kMatrices], std::int64_t row) const {
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
    const std::uint32_t place = place_of(stage_, matrix, k);
    Raw<bf16> raw;
    uint4& words = raw.words[0];
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
                 : "r"(place)
                 : "memory");
    unpack(raw, v);
  }
  __device__ void advance() { stage_ = stage_ + 1 == kStages ? 0 : stage_ + 1; }

 private:
  static constexpr int kPackBytes = kPack * static_cast<int>(sizeof(bf16));

  __device__ std::uint32_t place_of(int stage, int matrix, int k) const {
    return places_ + stage * kStageBytes + matrix * kRowBytes + k * kLanes * kPackBytes;
  }

  std::uint32_t places_;  // the lane's, in the warp's first stage
  int stage_ = 0;
};

}  // namespace yona::cuda
