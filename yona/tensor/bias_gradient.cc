#include "yona/tensor/bias_gradient.h"

#include <utility>

#include "yona/tensor/context.h"

namespace yona {

BiasGradient::BiasGradient(const Tensor& bias, const Tensor& y) {
  if (bias.requires_gradient()) {
    bias_ = bias;
    y_ = y;
    y_.storage()->bias_gradient = this;
  }
}

BiasGradient::BiasGradient(BiasGradient&& other) noexcept
    : bias_(std::move(other.bias_)),
      y_(std::move(other.y_)),
      uses_(other.uses_),
      done_(other.done_) {
  if (y_) {
    y_.storage()->bias_gradient = this;
  }
}

BiasGradient::~BiasGradient() {
  if (y_) {
    y_.storage()->bias_gradient = nullptr;
  }
}

View BiasGradient::take(const Tensor& part, Region& region) {
  if (part.rows() != y_.rows() || part.stride() != y_.stride() || !bias_.contiguous()) {
    return {};
  }
  const auto size = static_cast<std::int64_t>(size_of(y_.dtype()));
  const std::int64_t first =
      (static_cast<const char*>(part.raw()) - static_cast<const char*>(y_.raw())) / size;
  gradient_sum(bias_, region);
  done_ = true;
  return bias_.slice(first, Shape{part.cols()}).gradient().view();
}

}  // namespace yona
