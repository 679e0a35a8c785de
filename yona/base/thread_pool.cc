// Workers wait on a generation number, take slices from a shared counter, and the caller works too.
// A worker joins a run while it is open; the caller closes it when no slice is left and waits for
// those that joined. So a worker that gets no CPU, on a busy machine, does not delay the others.

#include "yona/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <sched.h>
#include <system_error>
#include <thread>
#include <vector>

#include "yona/base/cgroup.h"
#include "yona/base/log.h"
#include "yona/base/memory_limit.h"

namespace yona {

namespace {

// The CPUs that the process may use, as they were when first asked for: threads that are pinned
// later do not change them.
const std::vector<int>& process_cpus() {
  static const std::vector<int> all = [] {
    std::vector<int> cpus;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) == 0) {
      for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &set)) {
          cpus.push_back(cpu);
        }
      }
    }
    return cpus;
  }();
  return all;
}

thread_local bool inside_slice = false;

// A short spin catches the next kernel of the same step, and the last slice of this one, without a
// system call.
constexpr int kSpins = 2000;

}  // namespace

int available_cpus() {
  int cpus = process_cpus().empty() ? static_cast<int>(std::thread::hardware_concurrency())
                                    : static_cast<int>(process_cpus().size());
  if (const auto quota = cgroup_cpu_quota()) {
    cpus = std::min(cpus, static_cast<int>(std::ceil(*quota)));
  }
  return std::max(cpus, 1);
}

struct ThreadPool::State {
  std::vector<std::thread> workers;
  std::atomic<std::uint32_t> generation{0};
  std::atomic<std::int64_t> next{0};
  static constexpr std::int32_t kOpen = 1 << 30;
  std::atomic<std::int32_t> members{0};  // workers inside the run, and kOpen while more may join
  std::atomic<bool> stopping{false};
  std::int64_t slices = 0;
  const void* object = nullptr;
  Call call = nullptr;
  std::mutex run_mutex;  // one run() at a time; others wait
  std::mutex error_mutex;
  std::exception_ptr error;

  void take_slices() {
    inside_slice = true;
    for (std::int64_t slice = next.fetch_add(1); slice < slices; slice = next.fetch_add(1)) {
      try {
        call(object, slice);
      } catch (...) {
        const std::lock_guard lock(error_mutex);
        if (!error) {
          error = std::current_exception();
        }
        next.store(slices);
      }
    }
    inside_slice = false;
  }

  // Works on the run that is open, if any. What a run consists of changes only when it is closed
  // and has no members.
  void join() {
    std::int32_t before = members.load();
    while ((before & kOpen) != 0) {
      if (members.compare_exchange_weak(before, before + 1)) {
        take_slices();
        if (members.fetch_sub(1) == 1) {  // closed, and the last to leave
          members.notify_one();
        }
        return;
      }
    }
  }

  void work() {
    std::uint32_t seen = 0;
    for (;;) {
      for (int spin = 0; spin < kSpins && generation.load(std::memory_order_acquire) == seen;
           ++spin) {
        __builtin_ia32_pause();
      }
      generation.wait(seen);
      seen = generation.load();
      if (stopping.load()) {
        return;
      }
      join();
    }
  }
};

void pin_thread(int cpu) {
  const std::vector<int>& cpus = process_cpus();
  if (!cpus.empty()) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpus[static_cast<std::size_t>(cpu) % cpus.size()], &set);
    sched_setaffinity(0, sizeof(set), &set);  // a hint: without it results are the same
  }
}

ThreadPool::ThreadPool(int threads, int first_cpu) : state_(std::make_unique<State>()) {
  const int most = available_cpus();
  const int count = threads <= 0 ? most : std::min(threads, most);
  for (int worker = 1; worker < count; ++worker) {
    try {
      state_->workers.emplace_back([state = state_.get(), first_cpu, worker] {
        if (first_cpu >= 0) {
          pin_thread(first_cpu + worker);
        }
        state->work();
      });
    } catch (const std::system_error& error) {  // a limit of processes, or of memory for stacks
      // Fewer threads give the same results.
      log().warn("{} of {} threads are used: {}{}", worker, count, error.code().message(),
                 memory_limit_note());
      return;
    }
  }
}

ThreadPool::~ThreadPool() {
  state_->stopping.store(true);
  state_->generation.fetch_add(1);
  state_->generation.notify_all();
  for (std::thread& worker : state_->workers) {
    worker.join();
  }
}

int ThreadPool::threads() const { return static_cast<int>(state_->workers.size()) + 1; }

void ThreadPool::run_slices(std::int64_t slices, const void* object, Call call) {
  if (slices <= 0) {
    return;
  }
  if (slices == 1 || state_->workers.empty() || inside_slice) {
    for (std::int64_t slice = 0; slice < slices; ++slice) {
      call(object, slice);
    }
    return;
  }
  const std::lock_guard lock(state_->run_mutex);
  State& state = *state_;
  state.object = object;
  state.call = call;
  state.slices = slices;
  state.error = nullptr;
  state.next.store(0);
  state.members.store(State::kOpen);
  state.generation.fetch_add(1);
  state.generation.notify_all();
  state.take_slices();
  std::int32_t left = state.members.fetch_sub(State::kOpen) - State::kOpen;
  for (int spin = 0; left != 0 && spin < kSpins; ++spin) {
    __builtin_ia32_pause();
    left = state.members.load(std::memory_order_acquire);
  }
  for (; left != 0; left = state.members.load()) {
    state.members.wait(left);
  }
  if (state.error) {
    std::rethrow_exception(state.error);
  }
}

}  // namespace yona
