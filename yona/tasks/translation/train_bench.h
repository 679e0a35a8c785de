// How fast and how large a training step of random tokens is: `yona bench train`.
#pragma once

#include <cstdint>
#include <string>

#include "yona/base/json.h"
#include "yona/models/transformer_config.h"
#include "yona/train/step_bench.h"

namespace yona {

struct TrainBenchOptions {
  TransformerConfig model;  // a preset with the vocabulary
  std::string preset = "base";
  std::int64_t source_length = 32;
  std::int64_t target_length = 32;
  std::int64_t tokens = 25000;  // target tokens a step
  bool ragged = false;          // unequal lengths with these means
  StepBenchOptions run;
};

// One object with the peers' fields: ms (median), tgt_tok_s, tflops, mem_gb, and more.
Json bench_train(const TrainBenchOptions& options);

}  // namespace yona
