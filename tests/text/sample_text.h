// A few hundred short sentences made from a small grammar: enough to train sub-words on.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/random.h"
#include "yona/text/subword.h"
#include "yona/text/subword_training.h"

namespace yona::testing {

inline std::vector<std::string> sample_sentences(int count, std::uint64_t seed = 5) {
  constexpr std::string_view kWho[] = {"the old farmer", "a small child", "my sister",
                                       "der Nachbar",    "die Katze",     "ein großer Hund"};
  constexpr std::string_view kDoes[] = {"was looking for", "has forgotten", "wird morgen suchen",
                                        "liebt",           "never opens",   "überquert"};
  constexpr std::string_view kWhat[] = {"the wooden bridge.", "seventeen apples!",
                                        "den Schlüssel.",     "a lighthouse?",
                                        "das Wörterbuch.",    "nothing at all."};
  RandomSequence random(seed);
  std::vector<std::string> sentences;
  for (int at = 0; at < count; ++at) {
    std::string sentence;
    for (const auto* words : {&kWho, &kDoes, &kWhat}) {
      sentence += sentence.empty() ? "" : " ";
      sentence += (*words)[random.below(6)];
    }
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

inline LineSource lines_of(std::vector<std::string> lines) {
  auto left = std::make_shared<std::vector<std::string>>(lines.rbegin(), lines.rend());
  return [left](std::string& line) {
    if (left->empty()) {
      return false;
    }
    line = left->back();
    left->pop_back();
    return true;
  };
}

inline std::string sample_model(SubwordAlgorithm algorithm, int size = 500,
                                std::vector<std::string> tags = {}) {
  SubwordTraining options;
  options.algorithm = algorithm;
  options.vocabulary_size = algorithm == SubwordAlgorithm::unigram ? std::min(size, 390) : size;
  options.tags = std::move(tags);
  return train_subword(lines_of(sample_sentences(400)), options, "sample");
}

inline std::vector<std::int32_t> encode(const Subword& subword, std::string_view line) {
  std::vector<std::int32_t> ids;
  subword.encode(line, ids);
  return ids;
}

}  // namespace yona::testing
