// A second CUDA stream, ordered with the backend's own by events (backend/side_stream.h).
#pragma once

#include "yona/backend/cuda/runtime/exec.h"
#include "yona/backend/side_stream.h"

namespace yona::cuda {

class CudaSideStream : public SideStream {
 public:
  explicit CudaSideStream(CudaExec& main);
  ~CudaSideStream() override;
  CudaSideStream(const CudaSideStream&) = delete;
  CudaSideStream& operator=(const CudaSideStream&) = delete;

  void follow() override;
  void join() override;

 private:
  // What `after` is given from now on waits for what `before` has been given.
  void order(cudaStream_t before, cudaStream_t after);

  CudaExec& main_;
  CudaExec own_;
  cudaEvent_t reached_ = nullptr;
};

}  // namespace yona::cuda
