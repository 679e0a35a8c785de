// What a run of an encoder trains on: the keys data.* of classification and masked-lm.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace yona {

struct TextsConfig {
  std::vector<std::filesystem::path> train;
  std::filesystem::path valid;
  std::int64_t vocabulary_size = 0;  // of a new WordPiece vocabulary; 0: by the model's size
  bool lower_case = true;
  std::int64_t max_length = 0;  // tokens of a text; 0: the model's positions
  // classification
  std::string problem = "auto";  // classes, regression, or auto: what the labels look like
  double hidden = 0.0;           // the share of tokens behind [MASK] in training
  // masked-lm
  double masked = 0.15;  // the share of tokens that are chosen
  bool whole_words = false;
};

}  // namespace yona
