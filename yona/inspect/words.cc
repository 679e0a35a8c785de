#include "yona/inspect/words.h"

#include <sstream>

namespace yona {

WordTokens word_tokens(const Subword& subword, const std::string& line) {
  WordTokens tokens;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    subword.encode(word, tokens.ids);
    tokens.word_of.resize(tokens.ids.size(), static_cast<std::int64_t>(tokens.words.size()));
    tokens.words.push_back(std::move(word));
  }
  return tokens;
}

std::vector<float> word_attention(std::span<const float> weights, const WordTokens& source,
                                  const WordTokens& target, AlignAt at) {
  const std::size_t keys = source.ids.size() + 1;
  const std::size_t columns = source.words.size();
  std::vector<float> out(target.words.size() * columns, 0.0F);
  std::vector<float> pieces(target.words.size(), 0.0F);
  for (const std::int64_t word : target.word_of) {
    pieces[static_cast<std::size_t>(word)] += 1.0F;
  }
  for (std::size_t i = 0; i < target.ids.size(); ++i) {
    const auto word = static_cast<std::size_t>(target.word_of[i]);
    const std::size_t row = i + (at == AlignAt::reading ? 1 : 0);
    for (std::size_t j = 0; j < source.ids.size(); ++j) {
      out[word * columns + static_cast<std::size_t>(source.word_of[j])] +=
          weights[row * keys + j] / pieces[word];
    }
  }
  return out;
}

}  // namespace yona
