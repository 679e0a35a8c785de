// Uploads through two pinned buffers: the caller's memory is free again at once, the copy runs in
// the stream, and the host does not wait unless both buffers are still being read.
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
  static constexpr std::int64_t kBytes = std::int64_t{8} << 20U;
  struct Buffer {
    char* memory = nullptr;
    std::int64_t used = 0;
    cudaEvent_t read = nullptr;  // the last copy out of it
  };
  void turn();  // to the other buffer, when it has been read

  cudaStream_t stream_;
  std::array<Buffer, 2> buffers_;
  std::size_t current_ = 0;
};

}  // namespace yona::cuda
