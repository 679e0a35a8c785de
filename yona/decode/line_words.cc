#include "yona/decode/line_words.h"

#include "yona/decode/words.h"

namespace yona {

std::vector<double> line_word_scores(const LineTranslation& line, const Vocabulary& target) {
  std::vector<double> scores;
  for (const SentenceTranslation& part : line.parts) {
    const std::vector<double> of_part = word_scores(part.hypothesis, target);
    scores.insert(scores.end(), of_part.begin(), of_part.end());
  }
  return scores;
}

SoftAlignment line_alignment(const LineTranslation& line, const Vocabulary& source,
                             const Vocabulary& target) {
  SoftAlignment words;
  std::size_t sources = 0;  // words of the parts before
  for (const SentenceTranslation& part : line.parts) {
    const std::vector<std::int64_t> source_words = words_of(part.source, source);
    if (!part.hypothesis.attention.empty()) {
      const std::vector<std::int64_t> target_words = words_of(part.hypothesis.ids, target);
      for (const std::vector<float>& row :
           word_alignment(part.hypothesis.attention, source_words, target_words)) {
        words.emplace_back(sources).insert(words.back().end(), row.begin(), row.end());
      }
    }
    sources += count_words(source_words);
  }
  for (std::vector<float>& row : words) {
    row.resize(sources);
  }
  return words;
}

Translation translation_of(const LineTranslation& line, const Vocabulary& source,
                           const Vocabulary& target) {
  Translation all{.text = line.text, .score = line.score, .log_probability = line.log_probability};
  for (const SentenceTranslation& part : line.parts) {
    for (const std::int32_t id : part.source) {
      all.source_tokens.push_back(source.piece(id));
    }
    for (const std::int32_t id : part.hypothesis.ids) {
      all.tokens.push_back(target.piece(id));
    }
    const std::vector<float>& scores = part.hypothesis.token_scores;
    all.token_scores.insert(all.token_scores.end(), scores.begin(), scores.end());
  }
  all.word_scores = line_word_scores(line, target);
  all.alignment = line_alignment(line, source, target);
  all.links = hard_alignment_links(all.alignment);
  return all;
}

}  // namespace yona
