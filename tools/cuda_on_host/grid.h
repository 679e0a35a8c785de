// Grids of threads on the host: a thread is a fibre, blocks run one after another, and a fibre runs
// until it has to wait for its warp or its block. Threads of a block therefore never run in step,
// and what depends on an order that no barrier makes comes out otherwise than on a GPU; with
// CUDA_ON_HOST_ORDER=backwards the last thread goes first. In a build with the thread sanitizer,
// each fibre is a thread to it, and barriers alone put accesses to memory in order: it finds races.
//
// Wrong launches and barriers that not all threads reach end the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <functional>
#include <vector>

namespace cuda_on_host {

struct Place {
  dim3 thread{0, 0, 0}, block{0, 0, 0};
  dim3 block_size, grid_size;
};
const Place& place();  // of the thread that runs
int lane();

void* dynamic_shared();  // soiled with NaN before each block
void wait_for_block();
void wait_for_warp();
// Barrier `id` of `threads` of the block: arrives, and waits for the others or goes on.
void meet_at(int id, int threads, bool waits);
// Gives a word to the warp and gets the words of its 32 lanes, until the next exchange but one.
// Does not put accesses to memory in order, as shuffles do not.
const std::uint64_t* exchange(std::uint64_t mine);

struct Copy {
  void* to;
  const void* from;
  int bytes;
  int size;
  int groups = 0;  // committed since, its own among them
};
std::vector<Copy>& copies();  // begun by this thread, not waited for

// Runs the work, or keeps it for the graph that is being captured.
void submit(std::function<void()> work);
void run_grid(const dim3& grid, const dim3& block, std::size_t shared_bytes,
              const std::function<void()>& thread);

// kernel<<<grid, block, shared, stream>>>(arguments…)
template <class Kernel>
auto launch(const dim3& grid, const dim3& block, std::size_t shared_bytes, cudaStream_t /*stream*/,
            const Kernel& kernel) {
  return [=](auto... arguments) {
    submit([=] { run_grid(grid, block, shared_bytes, [=] { kernel(arguments...); }); });
  };
}

}  // namespace cuda_on_host
