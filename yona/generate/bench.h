// How fast text generation is: `yona bench generate`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "yona/base/json.h"
#include "yona/decode/compute_type.h"
#include "yona/models/causal_lm_config.h"

namespace yona {

struct GenerateBenchOptions {
  CausalLmConfig config{};  // with the vocabulary: random weights
  std::string preset = "gpt2-small";
  std::int64_t batch = 1;  // sequences generated together
  std::int64_t prompt_length = 128;
  std::int64_t new_tokens = 128;  // of each sequence, exactly
  std::int64_t repetitions = 3;   // that are timed, after one that is not
  std::string device = "cpu";
  ComputeType type{};  // as it is asked for: what it means is the device's
  int threads = 0;
  double temperature = 0.0;
  bool profile = false;  // milliseconds per kernel
};

// One object: tok_s (new tokens per second, the prompt's time included), prefill_tok_s and
// decode_tok_s (each of its own part), ms (median of the repetitions), mem_mb and more.
Json bench_generate(const GenerateBenchOptions& options);

}  // namespace yona
