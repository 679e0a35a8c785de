// Rows of matrices on the device, as the row kernels see them: a warp takes a row, in chunks of 256
// channels, eight neighbouring ones to each lane, so that memory is touched 16 bytes at a time and
// one Philox block per lane decides the dropout of a chunk (common/dropout.cuh). Arithmetic is in
// f32 whatever the type in memory.
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

#include "yona/backend/cuda/runtime/exec.h"
#include "yona/backend/view.h"

namespace yona::cuda {

using bf16 = __nv_bfloat16;
using f16 = __half;

constexpr int kLanes = 32;
constexpr int kPack = 8;                // channels of a lane in a chunk
constexpr int kChunk = kLanes * kPack;  // channels of a warp at a time
constexpr int kWarps = 8;               // of a block
constexpr int kThreads = kWarps * kLanes;

__device__ inline float to_float(float x) { return x; }
__device__ inline float to_float(bf16 x) { return __bfloat162float(x); }
__device__ inline float to_float(f16 x) { return __half2float(x); }

template <class T>
__device__ inline T from_float(float x) {
  if constexpr (std::is_same_v<T, bf16>) {
    return __float2bfloat16_rn(x);
  } else if constexpr (std::is_same_v<T, f16>) {
    return __float2half_rn(x);
  } else {
    return x;
  }
}

// The value as memory will hold it.
template <class T>
__device__ inline float rounded(float x) {
  return to_float(from_float<T>(x));
}

// Eight elements at 16-byte alignment.
__device__ inline void load8(const float* from, float (&v)[kPack]) {
  const float4 a = *reinterpret_cast<const float4*>(from);
  const float4 b = *reinterpret_cast<const float4*>(from + 4);
  v[0] = a.x, v[1] = a.y, v[2] = a.z, v[3] = a.w;
  v[4] = b.x, v[5] = b.y, v[6] = b.z, v[7] = b.w;
}

__device__ inline void load8(const bf16* from, float (&v)[kPack]) {
  const uint4 words = *reinterpret_cast<const uint4*>(from);
  const std::uint32_t word[4] = {words.x, words.y, words.z, words.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    v[2 * i] = __uint_as_float(word[i] << 16U);
    v[2 * i + 1] = __uint_as_float(word[i] & 0xFFFF0000U);
  }
}

__device__ inline void load8(const f16* from, float (&v)[kPack]) {
  const uint4 words = *reinterpret_cast<const uint4*>(from);
  const auto* pairs = reinterpret_cast<const __half2*>(&words);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 pair = __half22float2(pairs[i]);
    v[2 * i] = pair.x;
    v[2 * i + 1] = pair.y;
  }
}

__device__ inline void store8(float* to, const float (&v)[kPack]) {
  *reinterpret_cast<float4*>(to) = make_float4(v[0], v[1], v[2], v[3]);
  *reinterpret_cast<float4*>(to + 4) = make_float4(v[4], v[5], v[6], v[7]);
}

__device__ inline void store8(bf16* to, const float (&v)[kPack]) {
  uint4 words;
  __nv_bfloat162 pair[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    pair[i] = __floats2bfloat162_rn(v[2 * i], v[2 * i + 1]);
  }
  words.x = *reinterpret_cast<std::uint32_t*>(&pair[0]);
  words.y = *reinterpret_cast<std::uint32_t*>(&pair[1]);
  words.z = *reinterpret_cast<std::uint32_t*>(&pair[2]);
  words.w = *reinterpret_cast<std::uint32_t*>(&pair[3]);
  *reinterpret_cast<uint4*>(to) = words;
}

__device__ inline void store8(f16* to, const float (&v)[kPack]) {
  uint4 words;
  auto* pairs = reinterpret_cast<__half2*>(&words);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    pairs[i] = __floats2half2_rn(v[2 * i], v[2 * i + 1]);
  }
  *reinterpret_cast<uint4*>(to) = words;
}

// A matrix, or nothing. `vector` says that every pack of eight begins at a multiple of 16 bytes.
template <class T>
struct Rows {
  T* data = nullptr;
  std::int64_t stride = 0;
  std::int64_t cols = 0;
  bool vector = false;

  __host__ __device__ bool there() const { return data != nullptr; }
  __device__ T* row(std::int64_t index) const { return data + index * stride; }

  // The pack that begins at channel c; channels beyond the row read as zero and are not written.
  __device__ void load(std::int64_t r, std::int64_t c, float (&v)[kPack]) const {
    const T* from = row(r) + c;
    if (vector && c + kPack <= cols) {
      load8(from, v);
      return;
    }
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      v[i] = c + i < cols ? to_float(from[i]) : 0.0F;
    }
  }
  __device__ void store(std::int64_t r, std::int64_t c, const float (&v)[kPack]) const {
    T* to = row(r) + c;
    if (vector && c + kPack <= cols) {
      store8(to, v);
      return;
    }
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      if (c + i < cols) {
        to[i] = from_float<T>(v[i]);
      }
    }
  }
  // Overwrites, or adds to what is there.
  __device__ void put(std::int64_t r, std::int64_t c, float (&v)[kPack], bool accumulate) const {
    if (accumulate) {
      float there_already[kPack];
      load(r, c, there_already);
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        v[i] += there_already[i];
      }
    }
    store(r, c, v);
  }
};

// The same where a row is known to be whole packs at 16-byte alignment: nothing is asked.
template <bool kExact, class T>
__device__ void load_pack(const Rows<T>& from, std::int64_t r, std::int64_t c, float (&v)[kPack]) {
  if constexpr (kExact) {
    load8(from.row(r) + c, v);
  } else {
    from.load(r, c, v);
  }
}
template <bool kExact, class T>
__device__ void store_pack(const Rows<T>& to, std::int64_t r, std::int64_t c,
                           const float (&v)[kPack]) {
  if constexpr (kExact) {
    store8(to.row(r) + c, v);
  } else {
    to.store(r, c, v);
  }
}

// Eight elements as memory has them: kept so while others are on their way.
template <class T>
struct Raw {
  uint4 words[sizeof(T) * kPack / sizeof(uint4)];
};

template <bool kExact, class T>
__device__ Raw<T> read_raw(const Rows<T>& from, std::int64_t row, std::int64_t channel) {
  Raw<T> raw;
  if constexpr (kExact) {
    raw = *reinterpret_cast<const Raw<T>*>(from.row(row) + channel);
  } else {
    float v[kPack];
    from.load(row, channel, v);
    store8(reinterpret_cast<T*>(&raw), v);
  }
  return raw;
}

template <class T>
__device__ void unpack(const Raw<T>& raw, float (&v)[kPack]) {
  load8(reinterpret_cast<const T*>(&raw), v);
}

template <class T>
Rows<T> rows_of(const View& view) {
  const auto bytes = static_cast<std::int64_t>(sizeof(T));
  const bool vector = reinterpret_cast<std::uintptr_t>(view.data) % 16 == 0 &&
                      (view.stride * bytes % 16 == 0 || view.rows <= 1);
  return {static_cast<T*>(view.data), view.stride, view.cols, vector};
}

// A view of contiguous rows as one long row: element-wise kernels then need no tails between rows.
inline View flattened(View view) {
  if (view.stride == view.cols || view.rows <= 1) {
    view.cols *= view.rows;
    view.stride = view.cols;
    view.rows = view.rows > 0 ? 1 : 0;
  }
  return view;
}

constexpr float kLog2E = 1.4426950408889634F;

// 2^x, as the hardware computes it.
__device__ inline float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__device__ inline float warp_sum(float x) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    x += __shfl_xor_sync(0xFFFFFFFFU, x, distance);
  }
  return x;
}

__device__ inline float warp_max(float x) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFFU, x, distance));
  }
  return x;
}

// Are all rows whole packs at 16-byte alignment? Absent matrices do not count.
template <class T, class... Others>
bool whole_packs(const Rows<T>& first, const Others&... others) {
  const auto whole = [](const auto& rows) {
    return !rows.there() || (rows.vector && rows.cols % kPack == 0);
  };
  return whole(first) && (whole(others) && ...);
}

inline unsigned blocks_for(std::int64_t items, std::int64_t per_block) {
  return static_cast<unsigned>((items + per_block - 1) / per_block);
}

// Calls function(T{}) with the device type of dtype.
template <class Function>
void with_type(DType dtype, const char* kernel, const Function& function) {
  if (dtype == DType::f32) {
    function(float{});
  } else if (dtype == DType::bf16) {
    function(bf16{});
  } else {
    fail<NotImplemented>("{}: there is no kernel for {} in the cuda backend", kernel, dtype);
  }
}

// The same for what inference needs: f16 too.
template <class Function>
void with_forward_type(DType dtype, const char* kernel, const Function& function) {
  if (dtype == DType::f16) {
    function(f16{});
  } else {
    with_type(dtype, kernel, function);
  }
}

}  // namespace yona::cuda
