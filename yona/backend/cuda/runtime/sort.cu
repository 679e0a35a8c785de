#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "yona/backend/cuda/common/rows.cuh"
#include "yona/backend/cuda/runtime/sort.h"

namespace yona::cuda {

namespace {

__global__ void __launch_bounds__(kThreads) count_kernel(std::int32_t* rows, std::int64_t count) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < count) {
    rows[i] = static_cast<std::int32_t>(i);
  }
}

}  // namespace

SortedIds sort_ids(const std::int32_t* ids, std::int64_t count, std::int64_t bound,
                   CudaExec& exec) {
  const int bits = std::bit_width(static_cast<std::uint64_t>(bound));
  const auto sort = [&](void* memory, std::size_t& bytes, std::int32_t* sorted_ids,
                        const std::int32_t* rows, std::int32_t* sorted_rows) {
    check_cuda(cub::DeviceRadixSort::SortPairs(memory, bytes, ids, sorted_ids, rows, sorted_rows,
                                               static_cast<int>(count), 0, bits, exec.cuda_stream),
               "sorting ids");
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes, nullptr, nullptr, nullptr);
  exec.scratch.begin(3 * Scratch::size_for<std::int32_t>(count) +
                         Scratch::size_for<char>(static_cast<std::int64_t>(bytes)),
                     exec.cuda_stream);
  auto* sorted_ids = exec.scratch.take<std::int32_t>(count);
  auto* rows = exec.scratch.take<std::int32_t>(count);
  auto* sorted_rows = exec.scratch.take<std::int32_t>(count);
  void* memory = exec.scratch.take<char>(static_cast<std::int64_t>(bytes));
  count_kernel<<<blocks_for(count, kThreads), kThreads, 0, exec.cuda_stream>>>(rows, count);
  sort(memory, bytes, sorted_ids, rows, sorted_rows);
  check_launch("sorting ids");
  return {sorted_ids, sorted_rows};
}

}  // namespace yona::cuda
