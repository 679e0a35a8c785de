#include "yona/decode/words.h"

#include <algorithm>
#include <string_view>

#include "yona/text/spm_file.h"

namespace yona {

namespace {

bool is_blank(std::string_view piece) {
  while (piece.starts_with(kWordStart)) {
    piece.remove_prefix(kWordStart.size());
  }
  return piece.empty();
}

}  // namespace

std::vector<std::int64_t> words_of(std::span<const std::int32_t> ids,
                                   const Vocabulary& vocabulary) {
  std::vector<std::int64_t> words;
  std::int64_t word = -1;  // the last one that has letters
  bool begins = true;      // does the next letter begin a word?
  for (const std::int32_t id : ids) {
    if (id == vocabulary.end() || id == vocabulary.pad()) {
      words.push_back(-1);
      continue;
    }
    const std::string_view piece = vocabulary.piece(id);
    begins = begins || piece.starts_with(kWordStart);
    if (is_blank(piece)) {
      words.push_back(word + 1);  // of the word that follows
      continue;
    }
    word += begins ? 1 : 0;
    begins = false;
    words.push_back(word);
  }
  std::replace(words.begin(), words.end(), word + 1, std::int64_t{-1});  // nothing followed
  return words;
}

std::size_t count_words(std::span<const std::int64_t> words) {
  return words.empty()
             ? 0
             : static_cast<std::size_t>(*std::max_element(words.begin(), words.end()) + 1);
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
