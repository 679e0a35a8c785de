// The one pool of threads of the process.
//
// Work is cut into slices whose number depends on the problem alone, never on how many threads
// there are; a slice is computed by one thread. So results have the same bits for any --threads.
//
//   pool.run(slices, [&](std::int64_t slice) { … });   // returns when all slices are done
//
// The first exception of a slice is rethrown by run(). A run() inside a slice is done in place.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace yona {

// How many CPUs this process may use: affinity mask and the container's quota, at least 1.
int available_cpus();

// The calling thread runs on one CPU alone from now on: that of this number among those that the
// process may use, counted round and round. Does nothing where the system refuses.
void pin_thread(int cpu);

class ThreadPool {
 public:
  // 0 takes available_cpus(); more than that is allowed only up to it. With a first CPU, thread i
  // of the pool is pinned to first_cpu + i; the caller, which is thread 0, pins itself.
  explicit ThreadPool(int threads = 0, int first_cpu = -1);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;

  template <class Function>
  void run(std::int64_t slices, const Function& function) {
    run_slices(slices, &function, [](const void* object, std::int64_t slice) {
      (*static_cast<const Function*>(object))(slice);
    });
  }

  // Cuts [0, items) into slices of `grain` items and calls function(begin, end) for each.
  template <class Function>
  void run_ranges(std::int64_t items, std::int64_t grain, const Function& function) {
    run((items + grain - 1) / grain, [&](std::int64_t slice) {
      const std::int64_t begin = slice * grain;
      function(begin, begin + grain < items ? begin + grain : items);
    });
  }

 private:
  using Call = void (*)(const void* object, std::int64_t slice);
  void run_slices(std::int64_t slices, const void* object, Call call);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace yona
