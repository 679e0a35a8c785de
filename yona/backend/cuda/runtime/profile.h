// The time of each kernel on the device: events around every launch, read when all is done, so that
// measuring does not make the host wait and launches still overlap with computation.
#pragma once

#include <cuda_runtime.h>
#include <string_view>
#include <vector>

#include "yona/backend/exec.h"

namespace yona::cuda {

class EventProfile : public Profile {
 public:
  explicit EventProfile(cudaStream_t stream) : stream_(stream) {}
  ~EventProfile() override;
  void begin() override;
  void end(std::string_view name) override;
  void finish() override;

 private:
  struct Measured {
    std::string_view name, part;
    cudaEvent_t begin, end;
  };
  cudaStream_t stream_;
  std::vector<Measured> measured_;
  cudaEvent_t begin_ = nullptr;  // of the kernel being launched
};

}  // namespace yona::cuda
