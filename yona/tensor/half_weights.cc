#include "yona/tensor/half_weights.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/backend/panels.h"
#include "yona/base/f16.h"

namespace yona {

namespace {

// Rows of `weights`, contiguous [rows, k], as a whole panel.
void pack_half_panel(const float* weights, std::int64_t rows, std::int64_t k, DType type,
                     std::uint16_t* to) {
  for (std::int64_t j = 0; j < k; ++j, to += kPanelRows) {
    for (std::int64_t r = 0; r < rows; ++r) {
      const float value = weights[r * k + j];
      to[r] = type == DType::bf16 ? to_bf16(value) : to_f16(value);
    }
    std::fill(to + rows, to + kPanelRows, std::uint16_t{0});
  }
}

}  // namespace

HalfWeights::HalfWeights(const Tensor& weights, DType type, Copier copier)
    : PackedWeights(weights), type_(type), copier_(std::move(copier)) {
  check(size_of(type) == 2, "half weights: bf16 or f16 is needed, not {}", type);
}

View HalfWeights::packed(const Tensor& weight) {
  const std::lock_guard lock(mutex_);
  Half& half = halves_[static_cast<const float*>(weight.raw())];
  if (half.rows < weight.rows() || half.cols != weight.cols()) {
    half = {made(weight), weight.rows(), weight.cols()};
  }
  return {half.panels.raw(), weight.rows(), weight.cols(), weight.cols(), type_};
}

// A few panels at a time: all of a vocabulary's table in f32 would be the peak of the memory.
Tensor HalfWeights::made(const Tensor& weight) {
  check(weight.contiguous(), "half weights: {} is not contiguous", weight.shape());
  const std::int64_t k = weight.cols();
  const std::int64_t panels = panel_count(weight.view());
  Tensor to(region(), type_, Shape{panels, kPanelRows * k});
  constexpr std::int64_t kAtOnce = 16;
  std::vector<float> block(
      static_cast<std::size_t>(std::min(kAtOnce * kPanelRows, weight.rows()) * k));
  for (std::int64_t first = 0; first < panels; first += kAtOnce) {
    const std::int64_t rows = std::min(kAtOnce * kPanelRows, weight.rows() - first * kPanelRows);
    copier_(weight.row_range(first * kPanelRows, rows), block.data());
    Exec& exec = region().backend().exec();
    exec.pool->run((rows + kPanelRows - 1) / kPanelRows, [&](std::int64_t p) {
      pack_half_panel(block.data() + p * kPanelRows * k,
                      std::min(kPanelRows, rows - p * kPanelRows), k, type_,
                      static_cast<std::uint16_t*>(to.raw()) + (first + p) * kPanelRows * k);
    });
  }
  return to;
}

}  // namespace yona
