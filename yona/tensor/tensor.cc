#include "yona/tensor/tensor.h"

#include "yona/backend/backend.h"

namespace yona {

Tensor::Tensor(Region& region, DType dtype, const Shape& shape)
    : storage_(region.allocate(shape.elements() * static_cast<std::int64_t>(size_of(dtype)))),
      shape_(shape),
      stride_(shape.back()),
      dtype_(dtype) {}

void* Tensor::raw() const {
  return storage_ ? static_cast<char*>(storage_->data) +
                        offset_ * static_cast<std::int64_t>(size_of(dtype_))
                  : nullptr;
}

Tensor Tensor::columns(std::int64_t begin, std::int64_t count) const {
  check(begin >= 0 && count >= 0 && begin + count <= cols(),
        "columns: [{}, {}) is out of range for shape {}", begin, begin + count, shape_);
  Tensor view = *this;
  view.offset_ += begin;
  view.shape_ = Shape{rows(), count};
  return view;
}

Tensor Tensor::row_range(std::int64_t begin, std::int64_t count) const {
  check(shape_.rank() == 2 && begin >= 0 && count >= 0 && begin + count <= rows(),
        "row_range: [{}, {}) is out of range for shape {}", begin, begin + count, shape_);
  Tensor view = *this;
  view.offset_ += begin * stride_;
  view.shape_ = Shape{count, cols()};
  return view;
}

Tensor Tensor::reshape(const Shape& shape) const {
  check(contiguous() && shape.elements() == elements(), "reshape: {} does not become {}", shape_,
        shape);
  Tensor view = *this;
  view.shape_ = shape;
  view.stride_ = shape.back();
  return view;
}

Tensor Tensor::slice(std::int64_t begin, const Shape& shape) const {
  check(contiguous() && begin >= 0 && begin + shape.elements() <= elements(),
        "slice: {} elements from {} are out of range for shape {}", shape.elements(), begin,
        shape_);
  Tensor view = *this;
  view.offset_ += begin;
  view.shape_ = shape;
  view.stride_ = shape.back();
  return view;
}

Tensor Tensor::joined(const Tensor& neighbour) const {
  const bool vectors = shape_.rank() == 1 && neighbour.shape_.rank() == 1;
  check(storage_.get() == neighbour.storage_.get() && contiguous() && neighbour.contiguous() &&
            offset_ + elements() == neighbour.offset_ && (vectors || cols() == neighbour.cols()),
        "joined: {} and {} are not neighbours", shape_, neighbour.shape_);
  Tensor view = *this;
  view.shape_ =
      vectors ? Shape{elements() + neighbour.elements()} : Shape{rows() + neighbour.rows(), cols()};
  view.stride_ = view.shape_.back();
  return view;
}

Tensor Tensor::gradient() const {
  return storage_ && storage_->gradient ? on_storage(storage_->gradient, *this) : Tensor();
}

bool Tensor::covers_storage() const {
  return contiguous() && elements() * static_cast<std::int64_t>(size_of(dtype_)) == storage_->bytes;
}

void Tensor::discard_values() const {
  check(covers_storage(), "tensor: {} is a part of its storage, and cannot be discarded", shape_);
  storage_->region->discard(*storage_);
}

void Tensor::upload_bytes(const void* from, std::int64_t bytes) const {
  check(contiguous() && bytes == elements() * static_cast<std::int64_t>(size_of(dtype_)),
        "upload: {} bytes do not fill shape {} of {}", bytes, shape_, dtype_);
  if (storage_->rounded && !storage_->rounded_stale) {  // parts may be written by several threads
    storage_->rounded_stale = true;
  }
  storage_->region->backend().upload(raw(), from, bytes);
}

void Tensor::download_bytes(void* to) const {
  check(!storage_->discarded, "tensor: the values of {} have been discarded", shape_);
  check(storage_->packed == nullptr && storage_->quantised == nullptr,
        "tensor: weights packed for decoding cannot be read or saved");
  const auto size = static_cast<std::int64_t>(size_of(dtype_));
  const std::int64_t pieces = contiguous() ? 1 : rows();
  const std::int64_t bytes = elements() / (pieces > 0 ? pieces : 1) * size;
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    storage_->region->backend().download(static_cast<char*>(to) + piece * bytes,
                                         static_cast<char*>(raw()) + piece * stride_ * size, bytes);
  }
}

Tensor on_storage(const StoragePtr& storage, const Tensor& like) {
  Tensor tensor = like;
  tensor.storage_ = storage;
  return tensor;
}

}  // namespace yona
