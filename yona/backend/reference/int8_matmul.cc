// Weights and activations in bytes, and their product, as plain loops. The sums are integers, so
// what the fast kernels give is equal to this, not near it.

#include <algorithm>
#include <cmath>
#include <vector>

#include "yona/backend/panels.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

// The values of a row in bytes; its scale.
float to_bytes(const float* row, std::int64_t k, std::vector<std::int8_t>& bytes) {
  float largest = 0.0F;
  for (std::int64_t j = 0; j < k; ++j) {
    largest = std::isnan(row[j]) ? NAN : std::max(std::abs(row[j]), largest);
    if (std::isnan(largest)) {
      break;
    }
  }
  const Int8Scale scale = int8_scale(largest);
  bytes.assign(static_cast<std::size_t>(k), 0);
  for (std::int64_t j = 0; j < k && scale.inverse != 0; ++j) {
    bytes[static_cast<std::size_t>(j)] =
        static_cast<std::int8_t>(std::nearbyint(row[j] * scale.inverse));
  }
  return scale.scale;
}

void quantise(const QuantiseArgs& args, Exec& /*exec*/) {
  const std::int64_t k = args.weights.cols;
  const Int8Weights& to = args.to;
  std::fill_n(to.values.row<std::int8_t>(0), to.values.rows * to.values.cols, std::int8_t{0});
  std::fill_n(to.scales.row<float>(0), to.scales.cols, 0.0F);
  std::fill_n(to.sums.row<std::int32_t>(0), to.sums.cols, 0);
  std::vector<std::int8_t> bytes;
  for (std::int64_t r = 0; r < args.weights.rows; ++r) {
    to.scales.row<float>(0)[r] = to_bytes(args.weights.row<float>(r), k, bytes);
    for (std::int64_t j = 0; j < k; ++j) {
      const std::int8_t value = bytes[static_cast<std::size_t>(j)];
      to.values.row<std::int8_t>(r / kPanelRows)[int8_place(r % kPanelRows, j)] = value;
      to.sums.row<std::int32_t>(0)[r] += value;
    }
  }
}

void int8_matmul(const Int8MatmulArgs& args, Exec& /*exec*/) {
  const std::int64_t k = args.x.cols;
  std::vector<std::int8_t> x;
  for (std::int64_t i = 0; i < args.y.rows; ++i) {
    const float scale = to_bytes(args.x.row<float>(i), k, x);
    for (std::int64_t r = 0; r < args.y.cols; ++r) {
      const std::int8_t* panel = args.weights.values.row<std::int8_t>(r / kPanelRows);
      std::int32_t sum = 0;
      for (std::int64_t j = 0; j < k; ++j) {
        sum += x[static_cast<std::size_t>(j)] * panel[int8_place(r % kPanelRows, j)];
      }
      const float bias = args.bias ? args.bias.row<float>(0)[r] : 0.0F;
      const float y =
          std::fma(static_cast<float>(sum), scale * args.weights.scales.row<float>(0)[r], bias);
      args.y.row<float>(i)[r] = args.activation == Activation::relu && y < 0 ? 0.0F : y;
    }
  }
}

void int8_top_k(const Int8TopKArgs& args, Exec& exec) {
  TopKArgs top_k = args.top_k;
  std::vector<float> logits(static_cast<std::size_t>(top_k.logits.rows * top_k.logits.cols));
  top_k.logits.data = logits.data();
  top_k.logits.stride = top_k.logits.cols;
  int8_matmul({.x = args.x, .weights = args.weights, .y = top_k.logits}, exec);
  reference_kernels().top_k.function()(top_k, exec);
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.quantise = quantise;
  table.int8_matmul = int8_matmul;
  table.int8_top_k = int8_top_k;
});

}  // namespace
}  // namespace yona::reference
