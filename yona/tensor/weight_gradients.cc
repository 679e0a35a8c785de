#include "yona/tensor/weight_gradients.h"

#include <algorithm>

namespace yona {

namespace {

// The share of the device's time that `tiles` tiles use, if it computes `at_a_time` at once.
double use(std::int64_t tiles, std::int64_t at_a_time) {
  const std::int64_t times = (tiles + at_a_time - 1) / at_a_time;
  return static_cast<double>(tiles) /
         static_cast<double>(std::max<std::int64_t>(times, 1) * at_a_time);
}

constexpr double kEnough = 0.95;  // of the device's time

const float* begin_of(const Tensor& x) { return static_cast<const float*>(x.raw()); }
const float* end_of(const Tensor& x) {
  return begin_of(x) + (x.rows() - 1) * x.stride() + x.cols();
}

bool overlap(const Tensor& a, const Tensor& b) {
  return begin_of(a) < end_of(b) && begin_of(b) < end_of(a);
}

}  // namespace

WeightGradients::WeightGradients(Backend& backend, std::int64_t tiles)
    : backend_(backend), at_a_time_(tiles) {
  waiting_.reserve(kMost);
  products_.reserve(kMost);
}

bool WeightGradients::add(const Tensor& dy, const Tensor& x, const Tensor& dw) {
  if (at_a_time_ == 0 || dy.dtype() != DType::bf16 || x.dtype() != DType::bf16 ||
      dw.dtype() != DType::f32 || dy.rows() == 0 || dw.elements() == 0) {
    return false;
  }
  const std::int64_t more = weight_gradient_tiles(dw.rows(), dw.cols());
  // Sums into one weight stay in their order. A group that is better off without this one goes.
  if (std::any_of(waiting_.begin(), waiting_.end(),
                  [&](const Waiting& other) { return overlap(other.dw, dw); }) ||
      use(tiles_, at_a_time_) > use(tiles_ + more, at_a_time_)) {
    finish();
  }
  waiting_.push_back({dy, x, dw});
  tiles_ += more;
  if (waiting_.size() == kMost || use(tiles_, at_a_time_) >= kEnough) {
    finish();
  } else {
    free_gradients();
  }
  return true;
}

void WeightGradients::finish() {
  if (waiting_.empty()) {
    return;
  }
  for (const Waiting& w : waiting_) {
    products_.push_back(
        {.dy = w.dy.view(), .x = w.x.view(), .dw = w.dw.view(), .accumulate = true});
  }
  backend_.kernels().weight_gradients({.products = products_, .precision = Precision::bf16},
                                      backend_.exec());
  products_.clear();
  waiting_.clear();
  tiles_ = 0;
}

std::int64_t WeightGradients::wait_up_to(const Tensor& gradients) const {
  std::int64_t last = 0;
  for (const Waiting& w : waiting_) {
    last = std::max<std::int64_t>(last, end_of(w.dw) - begin_of(gradients));
  }
  return last;
}

// The gradient of an x that only this list keeps is no longer needed.
void WeightGradients::free_gradients() const {
  for (const Waiting& w : waiting_) {
    const Storage* storage = w.x.storage().get();
    const auto kept = std::count_if(waiting_.begin(), waiting_.end(), [&](const Waiting& other) {
      return other.x.storage().get() == storage;
    });
    if (storage->references == kept) {
      w.x.storage()->gradient = StoragePtr();
    }
  }
}

}  // namespace yona
