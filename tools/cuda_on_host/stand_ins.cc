// In place of the sources that call the driver, cuBLASLt and CUB: memory of the host, no plan for
// any product (matmul.cc then takes its plain kernel), and a stable sort.

#include <algorithm>
#include <numeric>
#include <sys/mman.h>

#include "yona/backend/cuda/gemm/matmul_plans.h"
#include "yona/backend/cuda/runtime/memory.h"
#include "yona/backend/cuda/runtime/sort.h"

namespace yona::cuda {

DeviceMemory::DeviceMemory() = default;

void* DeviceMemory::reserve(std::int64_t bytes) {
  void* memory = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  check<DeviceError>(memory != MAP_FAILED, "cuda: cannot get {} bytes of memory", bytes);
  ranges_[memory].reserved = bytes;
  return memory;
}
void DeviceMemory::commit(void* /*memory*/, std::int64_t /*bytes*/) {}
void DeviceMemory::release(void* memory) noexcept {
  munmap(memory, static_cast<std::size_t>(ranges_[memory].reserved));
  ranges_.erase(memory);
}

MatmulPlans::MatmulPlans(bool measure) : measure_(measure), choices_("the host") {}
MatmulPlans::~MatmulPlans() = default;
bool MatmulPlans::multiply(const Product& /*product*/, const ProductAddresses& /*at*/,
                           cudaStream_t /*stream*/) {
  return false;
}

SortedIds sort_ids(const std::int32_t* ids, std::int64_t count, std::int64_t /*bound*/,
                   CudaExec& exec) {
  exec.scratch.begin(2 * Scratch::size_for<std::int32_t>(count), exec.cuda_stream);
  auto* sorted = exec.scratch.take<std::int32_t>(count);
  auto* rows = exec.scratch.take<std::int32_t>(count);
  std::iota(rows, rows + count, 0);
  std::stable_sort(rows, rows + count,
                   [&](std::int32_t a, std::int32_t b) { return ids[a] < ids[b]; });
  std::transform(rows, rows + count, sorted, [&](std::int32_t row) { return ids[row]; });
  return {sorted, rows};
}

}  // namespace yona::cuda
