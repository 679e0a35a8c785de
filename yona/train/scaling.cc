#include "yona/train/scaling.h"

namespace yona {

const std::vector<Interconnect>& interconnects() {
  static const std::vector<Interconnect> all{{"NVLink 4, 450 GB/s", 450e9},
                                             {"network, 400 Gb/s", 50e9}};
  return all;
}

double exchanged_bytes(std::int64_t parameters, std::int64_t ranks) {
  const double others = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  return 2 * static_cast<double>(sizeof(float)) * static_cast<double>(parameters) * others;
}

double scaling_efficiency(double step_seconds, double bytes, double bytes_per_second) {
  return step_seconds / (step_seconds + bytes / bytes_per_second);
}

Json expected_scaling(double step_seconds, std::int64_t parameters) {
  Json expected = Json::array();
  for (const Interconnect& link : interconnects()) {
    for (const std::int64_t gpus : {8, 64, 512}) {
      const double bytes = exchanged_bytes(parameters, gpus);
      expected.push_back(
          {{"gpus", gpus},
           {"link", link.name},
           {"exchange_ms", bytes / link.bytes_per_second * 1e3},
           {"efficiency", scaling_efficiency(step_seconds, bytes, link.bytes_per_second)}});
    }
  }
  return expected;
}

}  // namespace yona
