#include "yona/decode/words.h"

namespace yona {

std::vector<std::int64_t> words_of(std::span<const std::int32_t> ids,
                                   const Vocabulary& vocabulary) {
  constexpr std::string_view kBlank = "\xE2\x96\x81";  // U+2581
  std::vector<std::int64_t> words;
  std::int64_t word = -1;
  for (const std::int32_t id : ids) {
    if (id == vocabulary.end() || id == vocabulary.pad()) {
      words.push_back(-1);
      continue;
    }
    if (word < 0 || vocabulary.piece(id).starts_with(kBlank)) {
      ++word;
    }
    words.push_back(word);
  }
  return words;
}

std::vector<double> word_scores(const Hypothesis& hypothesis, const Vocabulary& vocabulary) {
  const std::vector<std::int64_t> words = words_of(hypothesis.ids, vocabulary);
  std::vector<double> scores;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] >= 0) {
      scores.resize(static_cast<std::size_t>(words[i]) + 1);
      scores.back() += hypothesis.token_scores[i];
    }
  }
  return scores;
}

}  // namespace yona
