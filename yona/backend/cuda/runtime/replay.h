// Replays as CUDA graphs, and copies to the host through pinned memory.
#pragma once

#include <cuda_runtime.h>

#include "yona/backend/cuda/runtime/exec.h"
#include "yona/backend/replay.h"

namespace yona::cuda {

// The first run makes its calls, so that scratch memory, products and modules are there; the second
// one is captured; later ones start the graph, or capture it again where scratch memory has
// moved since. While kernels are measured, calls are not replayed.
class GraphReplay : public Replay {
 public:
  GraphReplay(const CudaExec& exec, cudaStream_t stream) : exec_(exec), stream_(stream) {}
  ~GraphReplay() override;
  void run(const std::function<void()>& calls) override;

 private:
  void capture(const std::function<void()>& calls);
  void forget();

  const CudaExec& exec_;
  cudaStream_t stream_;
  bool warm_ = false;
  cudaGraphExec_t graph_ = nullptr;
  const void* scratch_ = nullptr;  // where it was when the graph was captured
};

class PinnedReadback : public Readback {
 public:
  explicit PinnedReadback(cudaStream_t stream);
  ~PinnedReadback() override;
  void start(const void* from, std::int64_t bytes) override;
  const void* wait() override;

 private:
  cudaStream_t stream_;
  cudaEvent_t copied_ = nullptr;
  void* memory_ = nullptr;
  std::int64_t capacity_ = 0;
};

}  // namespace yona::cuda
