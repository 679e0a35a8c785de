// A decoder alone that is small enough for exact tests, bound to memory of a backend.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "yona/models/causal_lm.h"
#include "yona/nn/parameters.h"

#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {

inline CausalLmConfig toy_gpt2() {
  CausalLmConfig config;
  config.vocabulary = 13;
  config.layers = 2;
  config.d_model = 8;
  config.d_ff = 16;
  config.heads = 2;
  config.dropout = config.attention_dropout = 0.0;
  config.max_positions = 12;
  return config;
}

// Llama with two heads of queries for each of keys.
inline CausalLmConfig toy_llama() {
  CausalLmConfig config = toy_gpt2();
  config.heads = 4;
  config.kv_heads = 2;
  config.head_size = 4;
  config.activation = FeedForwardActivation::silu;
  config.gated = true;
  config.norm = NormKind::rms;
  config.positions = LmPositions::rotary;
  config.qkv_biases = config.output_biases = config.ff_biases = false;
  config.tied = false;
  return config;
}

class ToyLm {
 public:
  explicit ToyLm(const CausalLmConfig& config, std::string_view backend = "reference",
                 DType dtype = DType::f32)
      : model(config),
        parameters(model, shared_backend(backend), Gradients::yes, dtype),
        region(shared_backend(backend), std::int64_t{1} << 26U) {
    soil(region, 1 << 20);
    // Biases begin at zero and norms at one; a term that is forgotten must show.
    set_values(parameters.weights(), random_values(parameters.count(), 5, -0.7, 0.7));
  }

  Tokens tokens(const std::vector<std::vector<std::int32_t>>& texts) {
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> offsets{0};
    for (const auto& text : texts) {
      ids.insert(ids.end(), text.begin(), text.end());
      offsets.push_back(static_cast<std::int64_t>(ids.size()));
    }
    return {ids_of(ids, region), make_layout(offsets, {}, region)};
  }

  // [T, vocabulary]
  std::vector<double> logits(const std::vector<std::vector<std::int32_t>>& texts) {
    Context c{.region = region};
    const Ragged states = model.decode(tokens(texts), {}, c);
    return values_of(model.logits(states.values, c));
  }

  CausalLm model;
  Parameters parameters;
  Region region;
};

}  // namespace yona::testing
