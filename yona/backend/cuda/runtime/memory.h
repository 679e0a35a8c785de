// Device memory as regions want it: address space first, physical memory behind it while the
// region's peak grows (CUDA's virtual memory calls). A region for "as much as there is" then costs
// only what a step touches, and several regions share one device.
#pragma once

#include <cstdint>
#include <cuda.h>
#include <map>
#include <vector>

namespace yona::cuda {

class DeviceMemory {
 public:
  DeviceMemory();

  // Throw DeviceError naming the size. `commit` makes the first `bytes` usable.
  void* reserve(std::int64_t bytes);
  void commit(void* memory, std::int64_t bytes);
  void release(void* memory) noexcept;

 private:
  struct Range {
    std::int64_t reserved = 0;   // bytes of address space
    std::int64_t committed = 0;  // of them backed, from the first
    std::vector<CUmemGenericAllocationHandle> pieces;
    std::vector<std::int64_t> sizes;
  };
  // Returns false, with nothing changed, when the device has not that much memory left.
  bool back(CUdeviceptr begin, Range& range, std::int64_t bytes);

  int device_ = 0;
  bool virtual_ = false;  // the device has virtual memory calls; else reserving is allocating
  std::int64_t granularity_ = 0;
  std::map<void*, Range> ranges_;
};

}  // namespace yona::cuda
