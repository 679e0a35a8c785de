#include "yona/train/scaling.h"

#include <algorithm>

#include "yona/base/dtype.h"

namespace yona {

namespace {

// Of a step, the backward pass: two products for each one of the forward pass.
constexpr double kBackwardShare = 2.0 / 3.0;

double milliseconds(double bytes, const Interconnect& link) {
  return bytes / link.bytes_per_second * 1e3;
}

}  // namespace

const std::vector<Interconnect>& interconnects() {
  static const std::vector<Interconnect> all{{"NVLink 4, 450 GB/s", 450e9},
                                             {"network, 400 Gb/s", 50e9}};
  return all;
}

ExchangedBytes exchanged_bytes(std::int64_t parameters, std::int64_t ranks, Precision exchange) {
  const double sent =
      static_cast<double>(parameters) * static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  const DType gradients = exchange == Precision::bf16 ? DType::bf16 : DType::f32;
  return {sent * static_cast<double>(size_of(gradients)),
          sent * static_cast<double>(size_of(DType::f32))};
}

double scaling_efficiency(double step_seconds, double waited_seconds) {
  return step_seconds / (step_seconds + waited_seconds);
}

Json expected_scaling(double step_seconds, std::int64_t parameters, Precision exchange) {
  Json expected = Json::array();
  for (const Interconnect& link : interconnects()) {
    for (const std::int64_t gpus : {8, 64, 512}) {
      const ExchangedBytes bytes = exchanged_bytes(parameters, gpus, exchange);
      const double gradients = milliseconds(bytes.gradients, link);
      const double weights = milliseconds(bytes.weights, link);
      const double backward = kBackwardShare * step_seconds * 1e3;
      const double least = std::max(gradients - backward, 0.0) + weights;
      expected.push_back(
          {{"gpus", gpus},
           {"link", link.name},
           {"exchange_ms", gradients + weights},
           {"efficiency", scaling_efficiency(step_seconds, (gradients + weights) / 1e3)},
           {"efficiency_overlapped", scaling_efficiency(step_seconds, least / 1e3)}});
    }
  }
  return expected;
}

}  // namespace yona
