// Scratch memory of kernel calls. Growing waits for the stream, because calls that still run may
// use the old memory; it happens when a batch is larger than all before it.

#include "yona/backend/cuda/runtime/exec.h"

namespace yona::cuda {

Scratch::~Scratch() { cudaFree(memory_); }

void Scratch::begin(std::int64_t bytes, cudaStream_t stream) {
  used_ = 0;
  if (bytes <= capacity_) {
    return;
  }
  check_cuda(cudaStreamSynchronize(stream), "the computation");
  cudaFree(memory_);
  memory_ = nullptr;
  capacity_ = 0;
  const std::int64_t wanted = bytes + bytes / 4;  // batches differ a little in size
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, static_cast<std::size_t>(wanted));
  check<DeviceError>(status == cudaSuccess, "cuda: cannot take {:.2f} GB of scratch memory: {}",
                     static_cast<double>(wanted) / 1e9, cudaGetErrorString(status));
  memory_ = static_cast<char*>(memory);
  capacity_ = wanted;
}

void* Scratch::take_bytes(std::int64_t bytes) {
  check(used_ + bytes <= capacity_, "cuda: scratch of {} bytes is too small for {} more", capacity_,
        bytes);
  void* taken = memory_ + used_;
  used_ += bytes;
  return taken;
}

}  // namespace yona::cuda
