#include "yona/backend/cuda/runtime/upload.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "yona/backend/cuda/runtime/exec.h"

namespace yona::cuda {

Uploader::Uploader(cudaStream_t stream) : stream_(stream) {
  for (Buffer& buffer : buffers_) {
    check_cuda(cudaEventCreateWithFlags(&buffer.read, cudaEventDisableTiming), "making an event");
  }
  check_cuda(allocate(kFirstBytes), "pinning host memory");
}

// Both or neither: where there is no room, what was there remains.
cudaError_t Uploader::allocate(std::int64_t bytes) {
  std::array<void*, 2> memory{};
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const cudaError_t status = cudaMallocHost(&memory[i], static_cast<std::size_t>(bytes));
    if (status != cudaSuccess) {
      for (std::size_t before = 0; before < i; ++before) {
        cudaFreeHost(memory[before]);
      }
      cudaGetLastError();  // forgotten: it is not the next launch's
      return status;
    }
  }
  for (std::size_t i = 0; i < memory.size(); ++i) {
    if (buffers_[i].memory != nullptr) {
      cudaFreeHost(buffers_[i].memory);
    }
    buffers_[i].memory = static_cast<char*>(memory[i]);
    buffers_[i].used = 0;
  }
  size_ = bytes;
  return cudaSuccess;
}

void Uploader::grow(std::int64_t bytes) {
  check_cuda(cudaStreamSynchronize(stream_), "the computation");  // the old ones have been read
  const auto room = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
  if (allocate(std::min(room, most_)) != cudaSuccess) {
    most_ = size_;  // larger arrays go in pieces from now on
  }
}

Uploader::~Uploader() {
  for (const Buffer& buffer : buffers_) {
    cudaEventDestroy(buffer.read);
    cudaFreeHost(buffer.memory);
  }
}

void Uploader::turn() {
  check_cuda(cudaEventRecord(buffers_[current_].read, stream_), "recording an event");
  current_ = 1 - current_;
  check_cuda(cudaEventSynchronize(buffers_[current_].read), "the computation");
  buffers_[current_].used = 0;
}

void Uploader::upload(void* to, const void* from, std::int64_t bytes) {
  constexpr std::int64_t kAlignment = 64;
  const char* source = static_cast<const char*>(from);
  char* target = static_cast<char*>(to);
  if (bytes > size_ && size_ < most_) {
    grow(bytes);
  }
  while (bytes > 0) {
    if (buffers_[current_].used == size_) {
      turn();
    }
    Buffer& buffer = buffers_[current_];
    const std::int64_t piece = std::min(bytes, size_ - buffer.used);
    std::memcpy(buffer.memory + buffer.used, source, static_cast<std::size_t>(piece));
    check_cuda(cudaMemcpyAsync(target, buffer.memory + buffer.used, static_cast<std::size_t>(piece),
                               cudaMemcpyHostToDevice, stream_),
               "copying to the device");
    buffer.used = std::min(size_, (buffer.used + piece + kAlignment - 1) / kAlignment * kAlignment);
    source += piece;
    target += piece;
    bytes -= piece;
  }
}

}  // namespace yona::cuda
