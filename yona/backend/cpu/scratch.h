// Scratch: memory that a kernel needs for itself, aligned, kept between calls so that the steady
// state allocates nothing. What it held before is lost when it grows.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace yona::cpu {

template <class T>
class Scratch {
 public:
  // At least `count` elements, not initialised; valid until the next get().
  T* get(std::size_t count) {
    if (count > capacity_) {
      constexpr std::size_t kAlignment = 64;
      const std::size_t bytes = (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
      memory_.reset();
      memory_.reset(static_cast<T*>(std::aligned_alloc(kAlignment, bytes)));
      capacity_ = memory_ != nullptr ? bytes / sizeof(T) : 0;
      if (memory_ == nullptr) {
        throw std::bad_alloc();
      }
    }
    return memory_.get();
  }

 private:
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  std::unique_ptr<T, Free> memory_;
  std::size_t capacity_ = 0;
};

}  // namespace yona::cpu
