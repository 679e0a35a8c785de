// The virtual memory calls belong to the driver's library, which a machine without a GPU lacks:
// they are looked up at run time through the runtime, so that libyona_cuda.so loads everywhere.

#include "yona/backend/cuda/runtime/memory.h"

#include <algorithm>

#include "yona/backend/cuda/runtime/exec.h"

namespace yona::cuda {

namespace {

constexpr std::int64_t kLeastGrowth = std::int64_t{32} << 20U;  // of a region of some size

template <class Function>
Function driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check_cuda(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found),
             name);
  check<DeviceError>(found == cudaDriverEntryPointSuccess && function != nullptr,
                     "cuda: the driver has no {}; update it", name);
  return reinterpret_cast<Function>(function);
}

struct Driver {
  decltype(&cuMemGetAllocationGranularity) granularity =
      driver_function<decltype(&cuMemGetAllocationGranularity)>("cuMemGetAllocationGranularity");
  decltype(&cuMemAddressReserve) reserve =
      driver_function<decltype(&cuMemAddressReserve)>("cuMemAddressReserve");
  decltype(&cuMemAddressFree) free =
      driver_function<decltype(&cuMemAddressFree)>("cuMemAddressFree");
  decltype(&cuMemCreate) create = driver_function<decltype(&cuMemCreate)>("cuMemCreate");
  decltype(&cuMemRelease) release = driver_function<decltype(&cuMemRelease)>("cuMemRelease");
  decltype(&cuMemMap) map = driver_function<decltype(&cuMemMap)>("cuMemMap");
  decltype(&cuMemUnmap) unmap = driver_function<decltype(&cuMemUnmap)>("cuMemUnmap");
  decltype(&cuMemSetAccess) set_access =
      driver_function<decltype(&cuMemSetAccess)>("cuMemSetAccess");
};

const Driver& driver() {
  static const Driver functions;
  return functions;
}

CUmemAllocationProp properties(int device) {
  CUmemAllocationProp wanted{};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  wanted.location.id = device;
  return wanted;
}

std::int64_t round_up(std::int64_t bytes, std::int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

[[noreturn]] void fail_for(std::int64_t bytes, const char* why) {
  fail<DeviceError>(
      "cuda: cannot get {:.2f} GB of memory: {}; use a smaller --batch-tokens or model",
      static_cast<double>(bytes) / 1e9, why);
}

}  // namespace

DeviceMemory::DeviceMemory() {
  check_cuda(cudaGetDevice(&device_), "asking for the device");
  // The context must exist before the driver's calls.
  check_cuda(cudaFree(nullptr), "starting the device");
  const CUmemAllocationProp wanted = properties(device_);
  std::size_t granularity = 0;
  virtual_ = driver().granularity(&granularity, &wanted, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) ==
                 CUDA_SUCCESS &&
             granularity > 0;
  granularity_ = static_cast<std::int64_t>(granularity);
}

void* DeviceMemory::reserve(std::int64_t bytes) {
  if (!virtual_) {
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, static_cast<std::size_t>(bytes));
    if (status != cudaSuccess) {
      fail_for(bytes, cudaGetErrorString(status));
    }
    return memory;
  }
  Range range;
  range.reserved = round_up(std::max<std::int64_t>(bytes, 1), granularity_);
  CUdeviceptr begin = 0;
  if (driver().reserve(&begin, static_cast<std::size_t>(range.reserved), 0, 0, 0) != CUDA_SUCCESS) {
    fail_for(bytes, "no address space is left");
  }
  void* memory = reinterpret_cast<void*>(begin);
  ranges_.emplace(memory, std::move(range));
  return memory;
}

bool DeviceMemory::back(CUdeviceptr begin, Range& range, std::int64_t bytes) {
  const CUmemAllocationProp wanted = properties(device_);
  CUmemGenericAllocationHandle piece{};
  const auto size = static_cast<std::size_t>(bytes);
  if (driver().create(&piece, size, &wanted, 0) != CUDA_SUCCESS) {
    return false;
  }
  const CUdeviceptr place = begin + static_cast<CUdeviceptr>(range.committed);
  if (driver().map(place, size, 0, piece, 0) != CUDA_SUCCESS) {
    driver().release(piece);
    return false;
  }
  CUmemAccessDesc access{};
  access.location = wanted.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  if (driver().set_access(place, size, &access, 1) != CUDA_SUCCESS) {
    driver().unmap(place, size);
    driver().release(piece);
    return false;
  }
  range.pieces.push_back(piece);
  range.sizes.push_back(bytes);
  range.committed += bytes;
  return true;
}

void DeviceMemory::commit(void* memory, std::int64_t bytes) {
  const auto found = ranges_.find(memory);
  if (found == ranges_.end() || bytes <= found->second.committed) {
    return;
  }
  Range& range = found->second;
  const std::int64_t missing = round_up(bytes - range.committed, granularity_);
  // A little more than asked for, so that a region that grows tensor by tensor asks seldom.
  const std::int64_t more =
      std::min(range.committed / 4, std::max(kLeastGrowth, range.committed / 128));
  const std::int64_t generous =
      std::min(round_up(missing + more, granularity_), range.reserved - range.committed);
  const auto begin = reinterpret_cast<CUdeviceptr>(memory);
  if (!back(begin, range, std::max(generous, missing)) && !back(begin, range, missing)) {
    fail_for(bytes, "the device has no more");
  }
}

void DeviceMemory::release(void* memory) noexcept {
  const auto found = ranges_.find(memory);
  if (found == ranges_.end()) {
    cudaFree(memory);
    return;
  }
  cudaDeviceSynchronize();
  const Range& range = found->second;
  auto place = reinterpret_cast<CUdeviceptr>(memory);
  for (std::size_t i = 0; i < range.pieces.size(); ++i) {
    driver().unmap(place, static_cast<std::size_t>(range.sizes[i]));
    driver().release(range.pieces[i]);
    place += static_cast<CUdeviceptr>(range.sizes[i]);
  }
  driver().free(reinterpret_cast<CUdeviceptr>(memory), static_cast<std::size_t>(range.reserved));
  ranges_.erase(found);
}

}  // namespace yona::cuda
