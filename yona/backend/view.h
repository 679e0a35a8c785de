// View: a matrix in memory as kernels see it. No ownership, no checks: ops have checked already.
#pragma once

#include <cstdint>

#include "yona/base/dtype.h"

namespace yona {

struct View {
  void* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t stride = 0;  // elements from one row to the next; cols when contiguous
  DType dtype = DType::f32;

  explicit operator bool() const { return data != nullptr; }

  template <class T>
  T* row(std::int64_t index) const {
    return static_cast<T*>(data) + index * stride;
  }
};

}  // namespace yona
