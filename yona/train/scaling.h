// How well training would scale to many GPUs, from a measured step, the bytes that ranks exchange,
// and the bandwidth between GPUs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yona/backend/kernel_args.h"
#include "yona/base/json.h"

namespace yona {

struct Interconnect {
  std::string name;
  double bytes_per_second = 0;  // that a GPU sends while it receives as many
};
// Published rates: NVLink of the fourth generation, and a network adapter of 400 Gb/s to each GPU.
const std::vector<Interconnect>& interconnects();

// Bytes that each rank sends for an update: slices of gradients to their owners, and those of
// weights, in f32, to all (train/gradient_sum.h).
struct ExchangedBytes {
  double gradients = 0;
  double weights = 0;
};
ExchangedBytes exchanged_bytes(std::int64_t parameters, std::int64_t ranks,
                               Precision exchange = Precision::f32);

// The share of one rank's speed times the number of ranks that is left if a step of `step_seconds`
// also waits `waited_seconds` for others.
double scaling_efficiency(double step_seconds, double waited_seconds);

// For 8, 64 and 512 ranks and each interconnect: gpus, link, exchange_ms, and two bounds.
// efficiency: nothing is overlapped. efficiency_overlapped: gradients are exchanged during all of
// the backward pass, two thirds of the step, without slowing it down; weights are waited for.
Json expected_scaling(double step_seconds, std::int64_t parameters,
                      Precision exchange = Precision::f32);

}  // namespace yona
