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

// Where the kernel of an op of which `inputs` inputs share x's storage, and that writes all of its
// gradient, is to add the sums of that of x.
View sums_of(const Tensor& x, int inputs, Region& region, GradientSums sums) {
  BiasGradient* const bias = x.storage()->bias_gradient;
  return sums == GradientSums::yes && bias != nullptr && bias->used_only_by(inputs)
             ? bias->take(x, region)
             : View{};
}

}  // namespace

Tensor Context::zeros(DType dtype, const Shape& shape) const {
  Tensor tensor = empty(dtype, shape);
  zero(tensor);
  return tensor;
}

GradientTarget gradient_target(const Tensor& x, Region& region, GradientSums sums) {
  if (!x.requires_gradient()) {
    return {};
  }
  Storage& storage = *x.storage();
  if (storage.gradient) {
    return {x.gradient(), true, {}};
  }
  const Tensor gradient = whole(x, region);
  storage.gradient = gradient.storage();
  if (x.covers_storage()) {
    return {x.gradient(), false, sums_of(x, 1, region, sums)};
  }
  zero(gradient);
  return {x.gradient(), true, {}};
}

View gradient_sum(const Tensor& x, Region& region) {
  const GradientTarget target = gradient_target(x, region);
  if (target.tensor && !target.accumulate) {
    zero(target.tensor);
  }
  return target.view();
}

namespace {

bool one_storage(const Tensor& x, const Tensor& y) {
  return x.storage().get() == y.storage().get();
}

// Are x and y disjoint ranges of columns of the same rows?
bool side_by_side(const Tensor& x, const Tensor& y) {
  if (!one_storage(x, y) || x.rows() != y.rows() || x.stride() != y.stride()) {
    return false;
  }
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  const std::int64_t from_x =
      (static_cast<const char*>(y.raw()) - static_cast<const char*>(x.raw())) / size;
  return from_x > 0 ? from_x >= x.cols() && from_x + y.cols() <= x.stride()
                    : -from_x >= y.cols() && -from_x + x.cols() <= x.stride();
}

// Nothing has been put in the gradient of x yet, and the parts, which share its storage, are as
// many elements as it has.
bool fill_new_gradient(const Tensor& x, std::int64_t elements) {
  return x.requires_gradient() && !x.storage()->gradient &&
         elements * static_cast<std::int64_t>(size_of(x.dtype())) == x.storage()->bytes;
}

GradientTarget zeroed_target(const Tensor& x, Region& region) {
  gradient_sum(x, region);
  return gradient_target(x, region);
}

}  // namespace

GradientTargets3 gradient_targets(const Tensor& a, const Tensor& b, const Tensor& c, Region& region,
                                  GradientSums sums) {
  const auto written = [&](const Tensor& x, int inputs) {
    return GradientTarget{x.gradient(), false, sums_of(x, inputs, region, sums)};
  };
  // Q, K and V of self-attention are the three parts of one product.
  if (side_by_side(a, b) && side_by_side(b, c) && side_by_side(a, c) &&
      fill_new_gradient(a, a.elements() + b.elements() + c.elements())) {
    a.storage()->gradient = whole(a, region).storage();
    return {written(a, 3), written(b, 3), written(c, 3)};
  }
  // K and V of cross-attention are two parts of one product while Q stands alone.
  if (!one_storage(a, b) && side_by_side(b, c) &&
      fill_new_gradient(b, b.elements() + c.elements())) {
    b.storage()->gradient = whole(b, region).storage();
    return {gradient_target(a, region, sums), written(b, 2), written(c, 2)};
  }
  if (one_storage(a, b) || one_storage(b, c) || one_storage(a, c)) {
    return {zeroed_target(a, region), zeroed_target(b, region), zeroed_target(c, region)};
  }
  return {gradient_target(a, region, sums), gradient_target(b, region, sums),
          gradient_target(c, region, sums)};
}

}  // namespace yona
