#include "tools/cuda_on_host/grid.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <sys/mman.h>

// The thread sanitizer's words, where the program has it.
extern "C" {
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
[[gnu::weak]] void __tsan_acquire(void* address);
[[gnu::weak]] void __tsan_release(void* address);

// Saves the registers that a call keeps and the stack's end, and goes on with another stack.
void cuda_on_host_switch(void** save, void* load);
}
asm(R"(
.text
.globl cuda_on_host_switch
cuda_on_host_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");

namespace cuda_on_host {

namespace {

constexpr int kMostThreads = 1024;
constexpr int kWarp = 32;
constexpr std::size_t kStackBytes = std::size_t{256} << 10U;
constexpr std::size_t kMostShared = std::size_t{227} << 10U;  // of a block on Hopper

[[noreturn]] void stop(const char* why) {
  std::fprintf(stderr, "cuda on host: %s\n", why);
  std::abort();
}

// Threads that wait for each other. Those that have ended are waited for no more.
struct Barrier {
  int alive = 0;
  int arrived = 0;
  std::uint64_t round = 0;
  char order[2] = {};  // what the sanitizer knows rounds by, alternating

  void open_if_complete() {
    if (alive > 0 && arrived == alive) {
      arrived = 0;
      ++round;
    }
  }
};

struct Warp {
  Barrier barrier;    // of __syncwarp
  Barrier exchanges;  // of shuffles, which order no memory
  std::uint64_t words[2][kWarp];
};

struct Fibre {
  void* stack_end = nullptr;
  void* sanitizer = nullptr;
  dim3 index;
  int number = 0;
  bool done = true;
  const Barrier* waits_for = nullptr;
  std::uint64_t round = 0;      // that it waits to see the end of
  std::uint64_t exchanges = 0;  // so far
  std::vector<Copy> copies;

  bool can_run() const { return !done && (waits_for == nullptr || waits_for->round != round); }
};

struct Machine {
  Fibre fibres[kMostThreads];
  Warp warps[kMostThreads / kWarp];
  Barrier block;
  Barrier some[16];  // by their ids
  Fibre* current = nullptr;
  const std::function<void()>* thread = nullptr;
  void* scheduler_stack = nullptr;
  void* scheduler = nullptr;  // to the sanitizer
  char begin_order = 0;       // what the sanitizer knows the beginning and the end of a block by
  char end_order = 0;
  Place place;
  char* stacks = nullptr;
  alignas(128) char shared[kMostShared];

  Machine()
      : stacks(static_cast<char*>(mmap(nullptr, kStackBytes * kMostThreads, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
};

Machine& machine() {
  static Machine the_machine;
  return the_machine;
}

void acquire(char& order) {
  if (__tsan_acquire != nullptr) {
    __tsan_acquire(&order);
  }
}
void release(char& order) {
  if (__tsan_release != nullptr) {
    __tsan_release(&order);
  }
}
void tell_sanitizer(void* next) {
  constexpr unsigned kNoSync = 1;  // a switch puts nothing in order
  if (__tsan_switch_to_fiber != nullptr) {
    __tsan_switch_to_fiber(next, kNoSync);
  }
}

void to_scheduler() {
  Machine& m = machine();
  tell_sanitizer(m.scheduler);
  cuda_on_host_switch(&m.current->stack_end, m.scheduler_stack);
}

void wait_at(Barrier& barrier) {
  Fibre& fibre = *machine().current;
  fibre.round = barrier.round;
  ++barrier.arrived;
  barrier.open_if_complete();
  if (barrier.round == fibre.round) {
    fibre.waits_for = &barrier;
    to_scheduler();
    fibre.waits_for = nullptr;
  }
}

void wait_in_order(Barrier& barrier) {
  char& order = barrier.order[barrier.round % 2];
  release(order);
  wait_at(barrier);
  acquire(order);
}

Warp& warp_of(const Fibre& fibre) { return machine().warps[fibre.number / kWarp]; }

void leave(Barrier& barrier) {
  --barrier.alive;
  barrier.open_if_complete();
}

// Where a fibre begins; it has no caller to return to.
void run_thread() {
  Machine& m = machine();
  acquire(m.begin_order);
  (*m.thread)();
  release(m.end_order);
  Fibre& fibre = *m.current;
  fibre.copies.clear();
  fibre.done = true;
  leave(warp_of(fibre).barrier);
  leave(warp_of(fibre).exchanges);
  leave(m.block);
  to_scheduler();
  stop("a thread that has ended runs on");
}

void prepare(Fibre& fibre, int number, const dim3& size) {
  fibre.number = number;
  fibre.done = false;
  fibre.waits_for = nullptr;
  fibre.exchanges = 0;
  const auto n = static_cast<unsigned>(number);
  fibre.index = dim3(n % size.x, n / size.x % size.y, n / (size.x * size.y));
  auto* top = reinterpret_cast<void**>(machine().stacks +
                                       static_cast<std::size_t>(number + 1) * kStackBytes);
  *--top = nullptr;  // in a return address's place, so that the stack is aligned as after a call
  *--top = reinterpret_cast<void*>(&run_thread);
  constexpr int kSavedRegisters = 6;
  top -= kSavedRegisters;
  std::fill_n(top, kSavedRegisters, nullptr);
  fibre.stack_end = top;
  if (__tsan_create_fiber != nullptr && fibre.sanitizer == nullptr) {
    fibre.sanitizer = __tsan_create_fiber(0);
  }
}

bool goes_backwards() {
  const char* order = std::getenv("CUDA_ON_HOST_ORDER");
  return order != nullptr && std::string_view(order) == "backwards";
}

// Runs the threads of a warp until each has ended or waits for others; were there any?
bool run_warp(int first, int end) {
  static const bool backwards = goes_backwards();
  Machine& m = machine();
  bool any = false;
  for (bool again = true; again;) {
    again = false;
    for (int i = first; i < end; ++i) {
      Fibre& fibre = m.fibres[backwards ? first + end - 1 - i : i];
      if (fibre.can_run()) {
        m.current = &fibre;
        m.place.thread = fibre.index;
        tell_sanitizer(fibre.sanitizer);
        cuda_on_host_switch(&m.scheduler_stack, fibre.stack_end);
        any = again = true;
      }
    }
  }
  return any;
}

void run_block(int threads) {
  static const bool backwards = goes_backwards();
  Machine& m = machine();
  m.block.alive = threads;
  for (int i = 0; i < threads; ++i) {
    Warp& warp = m.warps[i / kWarp];
    warp.barrier.alive = warp.exchanges.alive = std::min(kWarp, threads - i / kWarp * kWarp);
    prepare(m.fibres[i], i, m.place.block_size);
  }
  const int warps = (threads + kWarp - 1) / kWarp;
  while (m.block.alive > 0) {
    bool any = false;
    for (int w = 0; w < warps; ++w) {
      const int first = (backwards ? warps - 1 - w : w) * kWarp;
      any = run_warp(first, std::min(threads, first + kWarp)) || any;
    }
    if (!any) {
      stop("not all threads reach a barrier, or not all lanes a function of their warp");
    }
  }
}

}  // namespace

const Place& place() { return machine().place; }
int lane() { return machine().current->number % kWarp; }
void* dynamic_shared() { return machine().shared; }
std::vector<Copy>& copies() { return machine().current->copies; }
void wait_for_block() { wait_in_order(machine().block); }
void wait_for_warp() { wait_in_order(warp_of(*machine().current).barrier); }

void meet_at(int id, int threads, bool waits) {
  Barrier& barrier = machine().some[id];
  if (barrier.arrived > 0 && barrier.alive != threads) {
    stop("threads disagree on how many meet at a barrier");
  }
  barrier.alive = threads;
  if (waits) {
    wait_in_order(barrier);
    return;
  }
  release(barrier.order[barrier.round % 2]);
  ++barrier.arrived;
  barrier.open_if_complete();
}

const std::uint64_t* exchange(std::uint64_t mine) {
  Fibre& fibre = *machine().current;
  Warp& warp = warp_of(fibre);
  std::uint64_t* words = warp.words[fibre.exchanges++ % 2];
  words[fibre.number % kWarp] = mine;
  wait_at(warp.exchanges);
  return words;
}

void run_grid(const dim3& grid, const dim3& block, std::size_t shared_bytes,
              const std::function<void()>& thread) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > kMostThreads || shared_bytes > kMostShared) {
    stop("a launch with too many threads, too much shared memory, or no threads at all");
  }
  if (grid.x == 0 || grid.x > 0x7FFFFFFFU || grid.y - 1 > 65534 || grid.z - 1 > 65534) {
    stop("a launch with no blocks, or too many");
  }
  Machine& m = machine();
  if (__tsan_get_current_fiber != nullptr) {
    m.scheduler = __tsan_get_current_fiber();
  }
  m.thread = &thread;
  m.place.block_size = block;
  m.place.grid_size = grid;
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        m.place.block = dim3(x, y, z);
        std::memset(m.shared, 0xFF, shared_bytes);
        release(m.begin_order);
        run_block(static_cast<int>(threads));
        acquire(m.end_order);
      }
    }
  }
}

}  // namespace cuda_on_host
