// Tensor: a cheap handle on a piece of a storage: shape, type, place, row stride.
//
// Rows (all extents but the last) may be strided, elements within a row are adjacent; so a range
// of columns is a view. Copying a Tensor copies the handle. Memory comes from a Region, through
// Context::empty() in a step and through Parameters for weights.
#pragma once

#include <cstdint>
#include <vector>

#include "yona/backend/view.h"
#include "yona/base/dtype.h"
#include "yona/base/shape.h"
#include "yona/tensor/region.h"
#include "yona/tensor/storage.h"

namespace yona {

class Tensor {
 public:
  Tensor() = default;
  // A new, uninitialised tensor in the region.
  Tensor(Region& region, DType dtype, const Shape& shape);

  explicit operator bool() const { return static_cast<bool>(storage_); }
  const Shape& shape() const { return shape_; }
  DType dtype() const { return dtype_; }
  std::int64_t rows() const { return shape_.rows(); }
  std::int64_t cols() const { return shape_.back(); }
  std::int64_t stride() const { return stride_; }
  std::int64_t elements() const { return shape_.elements(); }
  bool contiguous() const { return stride_ == cols() || rows() <= 1; }
  const StoragePtr& storage() const { return storage_; }

  // The first element. On devices other than the CPU it is a device address.
  template <class T>
  T* data() const {
    check(dtype_ == dtype_of<T>(), "tensor: data of {} asked for as {}", dtype_, dtype_of<T>());
    return static_cast<T*>(raw());
  }
  void* raw() const;
  View view() const { return {raw(), rows(), cols(), stride_, dtype_}; }

  // Views: no copy, and the gradient of a view is the view of the gradient.
  Tensor columns(std::int64_t begin, std::int64_t count) const;    // of every row
  Tensor row_range(std::int64_t begin, std::int64_t count) const;  // rank 2
  Tensor reshape(const Shape& shape) const;                        // contiguous only
  // `count` elements from `begin` of the flat, contiguous tensor, with a shape of their own.
  Tensor slice(std::int64_t begin, const Shape& shape) const;

  // This and its neighbour, which begins where this one ends, as one: rows of rank 2 below each
  // other, vectors one after another. So the weights of Q, K and V are one matrix.
  Tensor joined(const Tensor& neighbour) const;

  bool requires_gradient() const { return storage_ && storage_->requires_gradient; }
  void set_requires_gradient(bool value = true) const { storage_->requires_gradient = value; }
  // The gradient, with this tensor's geometry; an empty Tensor when none has been made.
  Tensor gradient() const;
  // Does the view cover all of its storage, so that writing it leaves nothing unwritten?
  bool covers_storage() const;

  // The values are not read any more, though backward will still ask for the gradient: their memory
  // is free for others. Covers its storage.
  void discard_values() const;

  // Copies from and to host memory through the backend (contiguous tensors).
  template <class T>
  void upload(const std::vector<T>& values) const {
    upload_bytes(values.data(), static_cast<std::int64_t>(values.size() * sizeof(T)));
  }
  template <class T>
  std::vector<T> to_vector() const {
    std::vector<T> values(static_cast<std::size_t>(elements()));
    check(dtype_ == dtype_of<T>(), "tensor: {} read as {}", dtype_, dtype_of<T>());
    download_bytes(values.data());
    return values;
  }
  void upload_bytes(const void* from, std::int64_t bytes) const;
  void download_bytes(void* to) const;  // strided tensors too

 private:
  friend Tensor on_storage(const StoragePtr& storage, const Tensor& like);

  StoragePtr storage_;
  std::int64_t offset_ = 0;  // in elements
  Shape shape_;
  std::int64_t stride_ = 0;
  DType dtype_ = DType::f32;
};

// The tensor on another storage of the same layout.
Tensor on_storage(const StoragePtr& storage, const Tensor& like);

}  // namespace yona
