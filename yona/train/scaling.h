// How well training would scale to many GPUs: from a step that was measured, the bytes that ranks
// exchange, and what links between GPUs carry.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yona/base/json.h"

namespace yona {

struct Interconnect {
  std::string name;
  double bytes_per_second = 0;  // that a GPU sends while it receives as many
};
// Published rates: NVLink of the fourth generation, and a network adapter of 400 Gb/s to each GPU.
const std::vector<Interconnect>& interconnects();

// Bytes that each rank sends for an update: slices of gradients to their owners, and those of
// weights to all (train/gradient_sum.h), in f32.
double exchanged_bytes(std::int64_t parameters, std::int64_t ranks);

// Of one rank's speed times the number of ranks, what is left when steps of so many seconds wait
// for the exchange. Nothing is overlapped.
double scaling_efficiency(double step_seconds, double bytes, double bytes_per_second);

// For 8, 64 and 512 ranks and each interconnect: gpus, link, exchange_ms, efficiency.
Json expected_scaling(double step_seconds, std::int64_t parameters);

}  // namespace yona
