// How much memory a run will take, known before its first step: the step is run on the meta
// backend, which computes nothing and keeps count.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "yona/train/learner.h"

namespace yona {

struct MemoryPlan {
  std::int64_t weights = 0;  // weights, gradients and their sum, moments and average
  std::int64_t step = 0;     // the largest micro-batch: activations and gradients of them
  std::int64_t program = 0;  // code, libraries, vocabulary, buffers of batches
  std::int64_t total() const { return weights + step + program; }
};

// What is planned: models of their own are made, and never trained.
struct PlannedRun {
  std::function<std::unique_ptr<Objective>()> make_objective;
  Precision precision = Precision::f32;
  bool average = false;      // of the weights
  bool recompute = false;    // activations
  bool accumulates = false;  // gradients are summed apart
  Device device = Device::cpu;
};

// For micro-batches with up to that many rows on each side.
MemoryPlan plan_memory(const PlannedRun& run, std::int64_t batch_tokens);

// --batch-tokens auto: the largest micro-batch that leaves a quarter of `memory_bytes` free, not
// above the paper's 25,000 tokens. Throws DeviceError when not even a small one fits.
std::int64_t largest_batch(const PlannedRun& run, std::int64_t memory_bytes);

// Throws InvalidArgument with the largest batch that fits when a step of `batch_tokens` is
// predicted to take more than `memory_bytes`.
void check_memory(const PlannedRun& run, std::int64_t batch_tokens, std::int64_t memory_bytes);

}  // namespace yona
