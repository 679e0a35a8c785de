#include "yona/backend/cuda/runtime/upload.h"

#include <algorithm>
#include <cstring>

#include "yona/backend/cuda/runtime/exec.h"

namespace yona::cuda {

Uploader::Uploader(cudaStream_t stream) : stream_(stream) {
  for (Buffer& buffer : buffers_) {
    void* memory = nullptr;
    check_cuda(cudaMallocHost(&memory, static_cast<std::size_t>(kBytes)), "pinning host memory");
    buffer.memory = static_cast<char*>(memory);
    check_cuda(cudaEventCreateWithFlags(&buffer.read, cudaEventDisableTiming), "making an event");
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
  while (bytes > 0) {
    if (buffers_[current_].used == kBytes) {
      turn();
    }
    Buffer& buffer = buffers_[current_];
    const std::int64_t piece = std::min(bytes, kBytes - buffer.used);
    std::memcpy(buffer.memory + buffer.used, source, static_cast<std::size_t>(piece));
    check_cuda(cudaMemcpyAsync(target, buffer.memory + buffer.used, static_cast<std::size_t>(piece),
                               cudaMemcpyHostToDevice, stream_),
               "copying to the device");
    buffer.used =
        std::min(kBytes, (buffer.used + piece + kAlignment - 1) / kAlignment * kAlignment);
    source += piece;
    target += piece;
    bytes -= piece;
  }
}

}  // namespace yona::cuda
