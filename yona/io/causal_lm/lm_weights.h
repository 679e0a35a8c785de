// The weights of a language model's folder under yona's names, for every family. GPT-2 keeps
// matrices transposed (Conv1D), and queries, keys and values in one.
#pragma once

#include <filesystem>
#include <string>

#include "yona/io/causal_lm/lm_config.h"
#include "yona/io/lazy_weights.h"
#include "yona/nn/parameters.h"

namespace yona {

// Where a parameter is in a family's file.
struct WeightPlace {
  std::string name;
  bool transposed = false;  // [in, out] where yona has [out, in]
  std::int64_t first = 0;   // its first row, of ours, in a matrix of several
  std::int64_t rows = 0;    // of that matrix; 0: it is the parameter's alone
};
// Throws InvalidArgument for a parameter that the family does not have.
WeightPlace weight_place(const std::string& parameter, LmFamily family,
                         const CausalLmConfig& config);

// The weights of model.safetensors or its shards, in f32, f16 or bf16, each read when it is asked
// for. Throws IoError, and FormatError naming the first tensor that is missing or has another
// shape, or a file that is not as checksums.json says.
LazyWeights open_lm_weights(const std::filesystem::path& folder, const LmDescription& description,
                            const Parameters& parameters);
// Reads all of them. Throws as open_lm_weights() does.
void read_lm_weights(const std::filesystem::path& folder, const LmDescription& description,
                     const Parameters& parameters);
// Writes model.safetensors: `flat`, laid out as parameters.weights(), under the family's names.
void write_lm_weights(const std::filesystem::path& path, const LmDescription& description,
                      const Parameters& parameters, const Tensor& flat);

}  // namespace yona
