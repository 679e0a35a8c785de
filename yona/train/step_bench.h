// Time and memory of a training step on random batches: `yona bench train` for every task.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/parallel/communicator.h"
#include "yona/train/objective.h"

namespace yona {

struct StepBenchOptions {
  Precision precision = Precision::f32;
  Precision exchange = Precision::f32;  // of gradients
  std::int64_t steps = 10;
  std::int64_t warmup = 3;
  std::string device = "cpu";
  int threads = 0;
  bool profile = false;  // milliseconds per kernel
  bool measure = true;   // algorithms of products, on a GPU
  // Each rank has steps of its own, whose gradients are added. nullptr: this process is alone.
  Communicator* ranks = nullptr;
};

// What is trained. Batches are taken in turn.
struct StepBenchWork {
  std::unique_ptr<Objective> objective;
  std::vector<Batch> batches;
  std::function<double(const Batch&)> tokens;         // that count
  std::function<double(const Batch&)> multiply_adds;  // of the products of one forward pass
};

struct StepBenchFigures {
  double ms = 0;                 // median
  double tokens_per_second = 0;  // of all ranks
  double tflops = 0;
  // dtype, threads, parameters, mem_gb, step_gb, loss and the profile; of several ranks also ranks
  // (their number), ms_without_overlap, compute_ms and exchange_ms (each part alone), overlap (the
  // share of the exchange that costs a step nothing) and efficiency
  Json rest;
};

StepBenchFigures bench_steps(StepBenchWork work, const StepBenchOptions& options);

}  // namespace yona
