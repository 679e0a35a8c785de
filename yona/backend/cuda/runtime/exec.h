// What CUDA kernels run with besides the stream: scratch memory, cuBLASLt, and the checks that turn
// CUDA's status codes into DeviceError. The backend's Exec is a CudaExec: kernels get it by
// exec_of.
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

#include "yona/backend/cuda/attention/cudnn.h"
#include "yona/backend/cuda/norm/column_sums.h"
#include "yona/backend/exec.h"
#include "yona/base/error.h"

namespace yona::cuda {

inline void check_cuda(cudaError_t status, const char* operation) {
  check<DeviceError>(status == cudaSuccess, "cuda: {} failed: {}", operation,
                     cudaGetErrorString(status));
}

// After a kernel's launch: reports what was wrong with it under the kernel's name.
inline void check_launch(const char* kernel) { check_cuda(cudaGetLastError(), kernel); }

// Device memory of one kernel call: everything taken is forgotten when the next call begins, which
// is safe because one stream runs calls in order. Grows when a larger batch comes, and is then
// elsewhere: what was captured before has to be captured again.
class Scratch {
 public:
  Scratch() = default;
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // Forgets what was taken and reserves `bytes` in all.
  void begin(std::int64_t bytes, cudaStream_t stream);
  // Where it is: graphs that were captured when it was elsewhere must not be started again.
  const void* place() const { return memory_; }
  // Takes `count` elements, aligned to 256 bytes; the sum of sizes_for() was given to begin().
  template <class T>
  T* take(std::int64_t count) {
    return static_cast<T*>(take_bytes(size_for<T>(count)));
  }
  // What take<T>(count) uses.
  template <class T>
  static std::int64_t size_for(std::int64_t count) {
    constexpr std::int64_t kAlignment = 256;
    return (count * static_cast<std::int64_t>(sizeof(T)) + kAlignment - 1) / kAlignment *
           kAlignment;
  }

 private:
  void* take_bytes(std::int64_t bytes);

  char* memory_ = nullptr;
  std::int64_t capacity_ = 0;
  std::int64_t used_ = 0;
};

class MatmulPlans;

struct CudaExec : Exec {
  cudaStream_t cuda_stream = nullptr;
  Scratch scratch{};
  PendingSums sums{};
  MatmulPlans* plans = nullptr;
  CudnnLibrary cudnn{};
};

inline CudaExec& exec_of(Exec& exec) { return static_cast<CudaExec&>(exec); }
inline cudaStream_t stream_of(Exec& exec) { return exec_of(exec).cuda_stream; }

}  // namespace yona::cuda
