// What CUDA code finds when it is compiled for the host: the words of the language, the functions
// of the device that yona's kernels use, and launches. Included in front of every source by
// tools/cuda-on-host.sh, after whose convert.py no syntax is left that C++ does not have.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "tools/cuda_on_host/grid.h"
#include "tools/cuda_on_host/ptx.h"
#include "tools/cuda_on_host/wgmma.h"

#define YONA_CUDA_ON_HOST 1

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __launch_bounds__
#undef __grid_constant__
#define __global__
#define __device__
#define __host__
#define __shared__ static  // one block runs at a time
#define __launch_bounds__(...)
#define __grid_constant__
#define __noinline__

#define threadIdx ::cuda_on_host::place().thread
#define blockIdx ::cuda_on_host::place().block
#define blockDim ::cuda_on_host::place().block_size
#define gridDim ::cuda_on_host::place().grid_size

template <class... Arguments>
cudaError_t cudaFuncSetAttribute(void (* /*kernel*/)(Arguments...), cudaFuncAttribute /*attribute*/,
                                 int /*value*/) {
  return cudaSuccess;
}

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               const Arguments&... arguments) {
  const auto& [grid, block, shared_bytes, stream, attributes, count] = *config;
  cuda_on_host::launch(grid, block, shared_bytes, stream, kernel)(arguments...);
  return cudaSuccess;
}

inline void __syncthreads() { cuda_on_host::wait_for_block(); }
inline void __syncwarp() { cuda_on_host::wait_for_warp(); }

// --- between the lanes of a warp: all 32 take part, or the run ends as a deadlock

template <class T>
T __shfl_sync(unsigned /*mask*/, T value, int lane) {
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof(T));
  word = cuda_on_host::exchange(word)[lane & 31];
  std::memcpy(&value, &word, sizeof(T));
  return value;
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int distance) {
  return __shfl_sync(mask, value, cuda_on_host::lane() ^ distance);
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value = std::max(value, __shfl_xor_sync(mask, value, distance));
  }
  return value;
}
inline unsigned __ballot_sync(unsigned /*mask*/, bool vote) {
  const std::uint64_t* votes = cuda_on_host::exchange(vote ? 1 : 0);
  unsigned bits = 0;
  for (unsigned i = 0; i < 32; ++i) {
    bits |= static_cast<unsigned>(votes[i]) << i;
  }
  return bits;
}

// --- numbers

using std::isfinite;
using std::isnan;
inline int __popc(unsigned x) { return __builtin_popcount(x); }
// Four of the eight bytes of y and x, each chosen by four bits.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned choice) {
  const std::uint64_t bytes = std::uint64_t{y} << 32U | x;
  unsigned chosen = 0;
  for (unsigned i = 0; i < 4; ++i) {
    chosen |= static_cast<unsigned>(bytes >> (choice >> 4 * i & 7U) * 8 & 0xFFU) << 8 * i;
  }
  return chosen;
}
inline int __ffs(int x) { return __builtin_ffs(x); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(std::uint64_t{a} * b >> 32U);
}
inline float __uint_as_float(unsigned x) {
  float y;
  std::memcpy(&y, &x, sizeof(y));
  return y;
}
inline unsigned __float_as_uint(float x) {
  unsigned y;
  std::memcpy(&y, &x, sizeof(y));
  return y;
}
inline float rsqrtf(float x) { return 1.0F / std::sqrt(x); }
inline float __expf(float x) { return std::exp(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline float normcdff(float x) {
  return static_cast<float>(0.5 * std::erfc(-static_cast<double>(x) / std::sqrt(2.0)));
}
inline int min(int a, int b) { return std::min(a, b); }
inline int max(int a, int b) { return std::max(a, b); }
inline unsigned max(unsigned a, unsigned b) { return std::max(a, b); }
inline std::int64_t min(std::int64_t a, std::int64_t b) { return std::min(a, b); }
inline std::int64_t max(std::int64_t a, std::int64_t b) { return std::max(a, b); }
inline int atomicAdd(int* at, int x) { return __atomic_fetch_add(at, x, __ATOMIC_RELAXED); }
inline int atomicMax(int* at, int x) {
  const int before = __atomic_load_n(at, __ATOMIC_RELAXED);
  __atomic_store_n(at, std::max(before, x), __ATOMIC_RELAXED);
  return before;
}
