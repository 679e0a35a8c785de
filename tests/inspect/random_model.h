// A model folder with random weights and real sub-words: quick to make, and as good as a trained
// one to look inside.
#pragma once

#include <filesystem>

#include "yona/io/translation_model.h"

#include "tests/harness/op_case.h"
#include "tests/text/sample_text.h"

namespace yona::testing {

inline TransformerConfig small_config() {
  TransformerConfig config;
  config.encoder_layers = 2;
  config.decoder_layers = 3;
  config.d_model = 16;
  config.d_ff = 24;
  config.heads = 2;
  config.max_positions = 520;
  return config;
}

inline void write_random_model(const std::filesystem::path& folder,
                               TransformerConfig config = small_config()) {
  static const std::string subwords = sample_model(SubwordAlgorithm::bpe);
  const Subword subword(subwords);
  config.source_vocabulary = config.target_vocabulary = subword.vocabulary().size();
  Transformer model(config);
  Parameters parameters(model, shared_backend("cpu"), Gradients::no);
  parameters.initialise(3);
  std::filesystem::create_directories(folder);
  write_model(folder,
              {.config = config,
               .source_language = "en",
               .target_language = "de",
               .shared_vocabulary = config.tying == Tying::all},
              {subword, subword}, parameters, parameters.weights());
}

}  // namespace yona::testing
