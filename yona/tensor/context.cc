#include "yona/tensor/context.h"

namespace yona {

namespace {

void zero(const Tensor& tensor) {
  Backend& backend = tensor.storage()->region->backend();
  backend.kernels().fill({.y = tensor.view(), .value = 0.0F}, backend.exec());
}

// The whole gradient of a storage, as one row of elements.
Tensor whole(const Tensor& x, Region& region) {
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  return {region, x.dtype(), Shape{1, x.storage()->bytes / size}};
}

}  // namespace

Tensor Context::zeros(DType dtype, const Shape& shape) const {
  Tensor tensor = empty(dtype, shape);
  zero(tensor);
  return tensor;
}

GradientTarget gradient_target(const Tensor& x, Region& region) {
  if (!x.requires_gradient()) {
    return {};
  }
  Storage& storage = *x.storage();
  if (storage.gradient) {
    return {x.gradient(), true};
  }
  const Tensor gradient = whole(x, region);
  storage.gradient = gradient.storage();
  if (x.covers_storage()) {
    return {x.gradient(), false};
  }
  zero(gradient);
  return {x.gradient(), true};
}

GradientTargets3 gradient_targets(const Tensor& a, const Tensor& b, const Tensor& c,
                                  Region& region) {
  const Storage* storage = a.storage().get();
  const bool together = a.requires_gradient() && !storage->gradient &&
                        b.storage().get() == storage && c.storage().get() == storage &&
                        a.raw() != b.raw() && b.raw() != c.raw() &&
                        (a.elements() + b.elements() + c.elements()) *
                                static_cast<std::int64_t>(size_of(a.dtype())) ==
                            storage->bytes;
  if (together) {
    a.storage()->gradient = whole(a, region).storage();
    return {{a.gradient(), false}, {b.gradient(), false}, {c.gradient(), false}};
  }
  // K and V of cross attention are two halves of one product while Q stands alone.
  if (b.requires_gradient() && !b.storage()->gradient && b.storage().get() == c.storage().get() &&
      b.raw() != c.raw() &&
      (b.elements() + c.elements()) * static_cast<std::int64_t>(size_of(b.dtype())) ==
          b.storage()->bytes) {
    b.storage()->gradient = whole(b, region).storage();
    return {gradient_target(a, region), {b.gradient(), false}, {c.gradient(), false}};
  }
  return {gradient_target(a, region), gradient_target(b, region), gradient_target(c, region)};
}

}  // namespace yona
