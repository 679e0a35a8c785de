// The tape: what backward has to do, in order. Each op records one closure while it runs forward;
// backward() runs them from the last to the first and destroys each one after it ran, so that what
// an op saved is freed as soon as it is no longer needed.
//
// Closures live in chunks of memory that are kept for the next step: no malloc in steady state.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace yona {

class Tape {
 public:
  Tape() = default;
  ~Tape() { clear(); }
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  template <class Backward>
  void record(Backward&& backward) {
    using Closure = std::decay_t<Backward>;
    static_assert(alignof(Closure) <= alignof(std::max_align_t));
    static_assert(sizeof(Closure) <= kChunk);
    void* place = reserve(sizeof(Closure));
    new (place) Closure(std::forward<Backward>(backward));
    nodes_.push_back({place, [](void* closure) { (*static_cast<Closure*>(closure))(); },
                      [](void* closure) { static_cast<Closure*>(closure)->~Closure(); }});
  }

  // Runs and empties the tape. The gradient of what started it is already in place.
  void backward() {
    while (step()) {
    }
  }
  // Runs the last closure and takes it off the tape. False, with nothing done, where none is left.
  bool step();
  // Forgets what was recorded without running it.
  void clear() noexcept;

  std::size_t size() const { return nodes_.size(); }

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 16U;
  struct Node {
    void* closure;
    void (*run)(void*);
    void (*destroy)(void*);
  };

  void* reserve(std::size_t bytes);
  void pop() noexcept;

  std::vector<Node> nodes_;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::size_t chunk_ = 0;  // the one being filled
  std::size_t used_ = 0;   // of it
};

}  // namespace yona
