#include "yona/tensor/packed_weights.h"

#include <utility>

#include "yona/backend/backend.h"
#include "yona/backend/panels.h"

namespace yona {

PackedWeights::PackedWeights(const Tensor& weights, Reader reader)
    : weights_(weights), reader_(std::move(reader)), region_(weights.storage()->region->backend()) {
  check(weights.dtype() == DType::f32 && weights.contiguous(),
        "packed weights: a contiguous buffer of f32 is needed, not {} of {}", weights.shape(),
        weights.dtype());
  check(!weights.requires_gradient(), "packed weights: weights in training cannot be packed");
  check(weights.storage()->packed == nullptr, "packed weights: these are packed already");
  weights_.storage()->packed = this;
}

PackedWeights::~PackedWeights() { weights_.storage()->packed = nullptr; }

View PackedWeights::packed(const Tensor& weight) {
  const std::lock_guard lock(mutex_);
  const auto* begin = static_cast<const float*>(weight.raw());
  const auto found = packed_.find(begin);
  if (found == packed_.end()) {
    check_apart(weight);
    if (reader_) {
      reader_(weight);
    }
    Backend& backend = weight.storage()->region->backend();
    backend.kernels().pack({.weights = weight.view()}, backend.exec());
    packed_.emplace(begin, Shape2{weight.rows(), weight.cols()});
  } else {
    check(found->second.rows == weight.rows() && found->second.cols == weight.cols(),
          "packed weights: {} has been packed as [{}, {}]", weight.shape(), found->second.rows,
          found->second.cols);
  }
  return weight.view();
}

Screen PackedWeights::screen(const Tensor& weight) {
  const View view = packed(weight);
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = screens_.try_emplace(static_cast<const float*>(weight.raw()));
  ScreenTensors& tensors = found->second;
  if (is_new) {
    tensors.values =
        Tensor(region_, DType::i8, Shape{panel_count(view), weight.cols() * kPanelRows});
    tensors.scales = Tensor(region_, DType::f32, Shape{weight.rows()});
    tensors.errors = Tensor(region_, DType::f32, Shape{weight.rows()});
  }
  const Screen screen{.values = tensors.values.view(),
                      .scales = tensors.scales.view(),
                      .errors = tensors.errors.view()};
  if (is_new) {
    Backend& backend = region_.backend();
    backend.kernels().screen({.weights = view, .screen = screen}, backend.exec());
  }
  return screen;
}

// Packed weights and this one have no element in common.
void PackedWeights::check_apart(const Tensor& weight) const {
  const auto* begin = static_cast<const float*>(weight.raw());
  const auto next = packed_.lower_bound(begin);
  const bool after = next == packed_.begin() || [&] {
    const auto& [at, shape] = *std::prev(next);
    return at + shape.rows * shape.cols <= begin;
  }();
  const bool before = next == packed_.end() || begin + weight.elements() <= next->first;
  check(after && before && weight.contiguous(),
        "packed weights: part of {} has been packed in another shape", weight.shape());
}

View PackedWeights::packed_table(const Tensor& table) {
  const std::lock_guard lock(mutex_);
  const auto found = packed_.find(static_cast<const float*>(table.raw()));
  if (found == packed_.end()) {
    if (reader_) {
      reader_(table);
    }
    return {};
  }
  check(found->second.cols == table.cols(), "packed weights: {} has been packed as [{}, {}]",
        table.shape(), found->second.rows, found->second.cols);
  View view = table.view();
  view.rows = found->second.rows;
  return view;
}

}  // namespace yona
