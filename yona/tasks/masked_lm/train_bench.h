// `yona bench train --task masked-lm`: a step of random texts, 15 % of whose tokens are predicted.
#pragma once

#include <cstdint>
#include <string>

#include "yona/models/bert_config.h"
#include "yona/train/step_bench.h"

namespace yona {

struct MaskedLmBenchOptions {
  BertConfig model;  // a preset with the vocabulary
  std::string preset = "bert-base";
  std::int64_t length = 512;  // tokens of a text; with `ragged`, on average
  std::int64_t batch = 48;    // texts of a step
  bool ragged = false;        // lengths from half to one and a half
  StepBenchOptions run;
};

// One object with the peers' fields: ms (median), tok_s, tflops, mem_gb, and more.
Json bench_masked_lm_train(const MaskedLmBenchOptions& options);

}  // namespace yona
