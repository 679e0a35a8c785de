#include "yona/backend/cuda/runtime/replay.h"

#include <bit>

#include "yona/backend/cuda/runtime/exec.h"

namespace yona::cuda {

GraphReplay::~GraphReplay() { forget(); }

void GraphReplay::forget() {
  if (graph_ != nullptr) {
    cudaStreamSynchronize(stream_);
    cudaGraphExecDestroy(graph_);
    graph_ = nullptr;
  }
}

void GraphReplay::capture(const std::function<void()>& calls) {
  check_cuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "beginning a graph");
  cudaGraph_t captured = nullptr;
  try {
    calls();
  } catch (...) {
    cudaStreamEndCapture(stream_, &captured);
    cudaGraphDestroy(captured);
    throw;
  }
  check_cuda(cudaStreamEndCapture(stream_, &captured), "ending a graph");
  const cudaError_t status = cudaGraphInstantiate(&graph_, captured, 0);
  cudaGraphDestroy(captured);
  check_cuda(status, "making a graph");
}

void GraphReplay::run(const std::function<void()>& calls) {
  if (exec_.profile != nullptr || !warm_) {
    calls();
    warm_ = true;
    return;
  }
  if (scratch_ != exec_.scratch.place()) {
    forget();
  }
  if (graph_ == nullptr) {
    capture(calls);
    scratch_ = exec_.scratch.place();
  }
  check_cuda(cudaGraphLaunch(graph_, stream_), "starting a graph");
}

PinnedReadback::PinnedReadback(cudaStream_t stream) : stream_(stream) {
  check_cuda(cudaEventCreateWithFlags(&copied_, cudaEventDisableTiming), "making an event");
}

PinnedReadback::~PinnedReadback() {
  cudaEventSynchronize(copied_);
  cudaEventDestroy(copied_);
  cudaFreeHost(memory_);
}

void PinnedReadback::start(const void* from, std::int64_t bytes) {
  if (bytes > capacity_) {
    check_cuda(cudaEventSynchronize(copied_), "the computation");
    cudaFreeHost(memory_);
    memory_ = nullptr;
    capacity_ = 0;
    const auto room = std::bit_ceil(static_cast<std::size_t>(bytes));  // sizes differ a little
    check_cuda(cudaMallocHost(&memory_, room), "pinning host memory");
    capacity_ = static_cast<std::int64_t>(room);
  }
  check_cuda(cudaMemcpyAsync(memory_, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost,
                             stream_),
             "copying from the device");
  check_cuda(cudaEventRecord(copied_, stream_), "recording an event");
}

const void* PinnedReadback::wait() {
  check_cuda(cudaEventSynchronize(copied_), "the computation");
  return memory_;
}

}  // namespace yona::cuda
