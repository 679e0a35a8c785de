// A translation of a line, with its scores, tokens and alignment.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace yona {

struct Translation {
  std::string text;
  double score = 0;            // what hypotheses are ordered by: normalised as the search does
  double log_probability = 0;  // of a line in parts both are sums
  std::vector<std::string> tokens{};  // sub-word pieces; </s> unless the length ran out
  std::vector<float> token_scores{};  // log-probability of each
  std::vector<double> word_scores{};  // of each word: the sum of its tokens'
  std::vector<std::string> source_tokens{};
  // Where they are asked for: [target word][source word], how much attention each target word paid
  // to each source word.
  std::vector<std::vector<float>> alignment{};
  // Each target word's best source word: (source, target), from 0.
  std::vector<std::pair<std::size_t, std::size_t>> links{};
};

}  // namespace yona
