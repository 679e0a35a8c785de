#include "yona/backend/cuda/runtime/profile.h"

#include "yona/backend/cuda/runtime/exec.h"

namespace yona::cuda {

namespace {

cudaEvent_t record(cudaStream_t stream) {
  cudaEvent_t event = nullptr;
  check_cuda(cudaEventCreate(&event), "making an event");
  check_cuda(cudaEventRecord(event, stream), "recording an event");
  return event;
}

}  // namespace

EventProfile::~EventProfile() {
  for (const Measured& each : measured_) {
    cudaEventDestroy(each.begin);
    cudaEventDestroy(each.end);
  }
}

void EventProfile::begin() { begin_ = record(stream_); }

void EventProfile::end(std::string_view name) {
  measured_.push_back({name, part, begin_, record(stream_)});
}

void EventProfile::finish() {
  check_cuda(cudaStreamSynchronize(stream_), "the computation");
  for (const Measured& each : measured_) {
    float milliseconds = 0.0F;
    check_cuda(cudaEventElapsedTime(&milliseconds, each.begin, each.end), "reading an event");
    add(each.name, each.part, static_cast<double>(milliseconds) * 1e-3);
    cudaEventDestroy(each.begin);
    cudaEventDestroy(each.end);
  }
  measured_.clear();
}

}  // namespace yona::cuda
