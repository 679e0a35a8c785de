// Uploads through two pinned buffers: the caller's memory is free again at once, the copy runs in
// the stream, and the host does not wait unless both buffers are still being read. They grow with
// what is uploaded, so that the pictures of a step are staged while the step before runs; where no
// more memory can be pinned they stay as they are, and larger arrays go in pieces.
#pragma once

#include <array>
#include <cstdint>
#include <cuda_runtime.h>

namespace yona::cuda {

class Uploader {
 public:
  explicit Uploader(cudaStream_t stream);
  ~Uploader();
  Uploader(const Uploader&) = delete;
  Uploader& operator=(const Uploader&) = delete;

  void upload(void* to, const void* from, std::int64_t bytes);

 private:
  static constexpr std::int64_t kFirstBytes = std::int64_t{8} << 20U;
  static constexpr std::int64_t kMostBytes = std::int64_t{64} << 20U;
  struct Buffer {
    char* memory = nullptr;
    std::int64_t used = 0;
    cudaEvent_t read = nullptr;  // the last copy out of it
  };
  cudaError_t allocate(std::int64_t bytes);
  void grow(std::int64_t bytes);
  void turn();  // to the other buffer, when it has been read

  cudaStream_t stream_;
  std::array<Buffer, 2> buffers_;
  std::size_t current_ = 0;
  std::int64_t size_ = 0;  // of each
  std::int64_t most_ = kMostBytes;
};

}  // namespace yona::cuda
