#include "yona/tensor/quantised_weights.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/backend/panels.h"

namespace yona {

namespace {

constexpr std::int64_t kLongestRow = 1 << 16;  // 2¹⁶ products of bytes fit into 32 bits

// Panels `first` … of the whole.
Int8Weights panels_of(const Int8Weights& all, std::int64_t first, std::int64_t count) {
  Int8Weights part = all;
  part.values.data = all.values.row<std::int8_t>(first);
  part.values.rows = count;
  part.scales.data = all.scales.row<float>(0) + first * kPanelRows;
  part.sums.data = all.sums.row<std::int32_t>(0) + first * kPanelRows;
  part.scales.cols = part.sums.cols = count * kPanelRows;
  return part;
}

}  // namespace

QuantisedWeights::QuantisedWeights(const Tensor& weights, Reader reader)
    : weights_(weights), reader_(std::move(reader)), region_(weights.storage()->region->backend()) {
  check(weights.dtype() == DType::f32 && weights.contiguous(),
        "quantised weights: a contiguous buffer of f32 is needed, not {} of {}", weights.shape(),
        weights.dtype());
  check(!weights.requires_gradient(), "quantised weights: weights in training cannot be rounded");
  check(weights.storage()->packed == nullptr && weights.storage()->quantised == nullptr,
        "quantised weights: these are packed already");
  if (!reader_) {
    reader_ = [](const Tensor& part, float* to) {
      std::copy_n(part.data<float>(), part.elements(), to);
    };
  }
  weights_.storage()->quantised = this;
}

QuantisedWeights::~QuantisedWeights() { weights_.storage()->quantised = nullptr; }

void QuantisedWeights::add(const Matrix& matrix) {
  const std::lock_guard lock(mutex_);
  matrices_[matrix.offset] = matrix;
}

Int8Weights QuantisedWeights::get(const Tensor& matrix) {
  const std::lock_guard lock(mutex_);
  const std::int64_t offset = matrix.data<float>() - weights_.data<float>();
  const auto found = matrices_.find(offset);
  if (found != matrices_.end() && found->second.cols == matrix.cols() &&
      found->second.rows >= matrix.rows()) {
    return found->second.weights;
  }
  return (matrices_[offset] = rounded(offset, matrix)).weights;
}

std::map<std::int64_t, QuantisedWeights::Matrix> QuantisedWeights::matrices() const {
  const std::lock_guard lock(mutex_);
  return matrices_;
}

// A few panels at a time: all of a vocabulary's table in f32 would be the peak of the memory.
QuantisedWeights::Matrix QuantisedWeights::rounded(std::int64_t offset, const Tensor& matrix) {
  check(matrix.contiguous() && matrix.cols() <= kLongestRow,
        "quantised weights: {} cannot be rounded; rows have at most {} elements", matrix.shape(),
        kLongestRow);
  const std::int64_t panels = panel_count(matrix.view());
  Owned& own = owned_[offset];
  own = {Tensor(region_, DType::i8, Shape{panels, int8_panel_size(matrix.cols())}),
         Tensor(region_, DType::f32, Shape{panels * kPanelRows}),
         Tensor(region_, DType::i32, Shape{panels * kPanelRows})};
  const Int8Weights all{own.values.view(), own.scales.view(), own.sums.view()};
  constexpr std::int64_t kAtOnce = 16;
  std::vector<float> block(
      static_cast<std::size_t>(std::min(kAtOnce * kPanelRows, matrix.rows()) * matrix.cols()));
  Backend& backend = region_.backend();
  for (std::int64_t first = 0; first < panels; first += kAtOnce) {
    const std::int64_t row = first * kPanelRows;
    const std::int64_t rows = std::min(kAtOnce * kPanelRows, matrix.rows() - row);
    reader_(matrix.row_range(row, rows), block.data());
    backend.kernels().quantise(
        {.weights = {block.data(), rows, matrix.cols(), matrix.cols(), DType::f32},
         .to = panels_of(all, first, std::min(kAtOnce, panels - first))},
        backend.exec());
  }
  return {offset, matrix.rows(), matrix.cols(), all};
}

}  // namespace yona
