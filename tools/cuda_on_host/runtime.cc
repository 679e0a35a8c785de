// The part of CUDA's runtime that yona calls, on the host: everything is done when a call returns,
// except what is captured into a graph.

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "tools/cuda_on_host/grid.h"

struct CUevent_st {
  std::chrono::steady_clock::time_point time;
};
struct CUgraph_st {
  std::vector<std::function<void()>> work;
};
struct CUgraphExec_st {
  std::vector<std::function<void()>> work;
};

namespace {

CUgraph_st* captured = nullptr;

// What a capture does not allow: waiting, and memory.
cudaError_t outside_captures() {
  return captured == nullptr ? cudaSuccess : cudaErrorStreamCaptureUnsupported;
}

cudaError_t allocate(void** memory, std::size_t bytes) {
  constexpr std::size_t kAlignment = 256;
  const std::size_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  *memory = std::aligned_alloc(kAlignment, size);
  std::memset(*memory, 0xFF, size);
  return outside_captures();
}

}  // namespace

void cuda_on_host::submit(std::function<void()> work) {
  if (captured != nullptr) {
    captured->work.push_back(std::move(work));
  } else {
    work();
  }
}

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
// A Hopper, unless CUDA_ON_HOST_CAPABILITY says otherwise: 80 for 8.0.
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int /*device*/) {
  const char* capability = std::getenv("CUDA_ON_HOST_CAPABILITY");
  const int number = capability != nullptr ? std::atoi(capability) : 90;
  *value = attribute == cudaDevAttrComputeCapabilityMajor         ? number / 10
           : attribute == cudaDevAttrComputeCapabilityMinor       ? number % 10
           : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? (number == 90 ? 227 : 163) << 10
                                                                  : 0;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t status) {
  return status == cudaSuccess ? "no error" : "not allowed during a capture";
}
cudaError_t cudaDeviceSynchronize() { return outside_captures(); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
  return *stream = nullptr, cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t /*stream*/) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t /*stream*/, cudaEvent_t /*event*/,
                                unsigned /*flags*/) {
  return cudaSuccess;  // calls are done in their order, whatever their stream
}
cudaError_t cudaStreamSynchronize(cudaStream_t /*stream*/) { return outside_captures(); }

cudaError_t cudaMalloc(void** memory, std::size_t bytes) { return allocate(memory, bytes); }
// CUDA_ON_HOST_PINNED: the bytes of the largest array that can be pinned, for tests of refusals.
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  const char* most = std::getenv("CUDA_ON_HOST_PINNED");
  return most != nullptr && bytes > std::strtoull(most, nullptr, 10) ? cudaErrorMemoryAllocation
                                                                     : allocate(memory, bytes);
}
cudaError_t cudaFree(void* memory) { return std::free(memory), cudaSuccess; }
cudaError_t cudaFreeHost(void* memory) { return std::free(memory), cudaSuccess; }
cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
  *available = *total = std::size_t{4} << 30U;
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind /*kind*/,
                            cudaStream_t /*stream*/) {
  return cuda_on_host::submit([=] { std::memcpy(to, from, bytes); }), cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t /*stream*/) {
  return cuda_on_host::submit([=] { std::memset(to, value, bytes); }), cudaSuccess;
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t /*stream*/) {
  return cuda_on_host::submit([=] {
           for (std::size_t row = 0; row < height; ++row) {
             std::memset(static_cast<char*>(to) + row * pitch, value, width);
           }
         }),
         cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
  return *event = new CUevent_st, cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t /*stream*/) {
  event->time = std::chrono::steady_clock::now();
  return outside_captures();
}
cudaError_t cudaEventSynchronize(cudaEvent_t /*event*/) { return outside_captures(); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - begin->time).count();
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t /*stream*/, cudaStreamCaptureMode /*mode*/) {
  return captured = new CUgraph_st, cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t /*stream*/, cudaGraph_t* graph) {
  return *graph = std::exchange(captured, nullptr), cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long /*flags*/) {
  return *exec = new CUgraphExec_st{graph->work}, cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  delete exec;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t /*stream*/) {
  for (const std::function<void()>& each : exec->work) {
    each();
  }
  return cudaSuccess;
}

}  // extern "C"
