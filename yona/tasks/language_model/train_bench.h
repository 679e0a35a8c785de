// `yona bench train --task language-model`: a step of random texts of one length.
#pragma once

#include <cstdint>
#include <string>

#include "yona/models/causal_lm_config.h"
#include "yona/train/step_bench.h"

namespace yona {

struct LmTrainBenchOptions {
  CausalLmConfig model;  // a preset with the vocabulary
  std::string preset = "gpt2-small";
  std::int64_t length = 1024;  // tokens of a text
  std::int64_t batch = 24;     // texts of a step
  StepBenchOptions run;
};

// One object with the peers' fields: ms (median), tok_s, tflops, mem_gb, and more.
Json bench_lm_train(const LmTrainBenchOptions& options);

}  // namespace yona
