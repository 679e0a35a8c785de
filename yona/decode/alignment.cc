#include "yona/decode/alignment.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/decode/words.h"

namespace yona {

SoftAlignment word_alignment(const SoftAlignment& tokens,
                             std::span<const std::int64_t> source_words,
                             std::span<const std::int64_t> target_words) {
  check(tokens.size() == target_words.size(), "word_alignment: {} rows for {} target tokens",
        tokens.size(), target_words.size());
  const std::size_t sources = count_words(source_words);
  SoftAlignment words(count_words(target_words), std::vector<float>(sources, 0.0F));
  std::vector<float> pieces(words.size(), 0.0F);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    check(tokens[t].size() == source_words.size(),
          "word_alignment: {} weights for {} source tokens", tokens[t].size(), source_words.size());
    if (target_words[t] < 0) {
      continue;
    }
    const auto word = static_cast<std::size_t>(target_words[t]);
    pieces[word] += 1.0F;
    for (std::size_t s = 0; s < source_words.size(); ++s) {
      if (source_words[s] >= 0) {
        words[word][static_cast<std::size_t>(source_words[s])] += tokens[t][s];
      }
    }
  }
  for (std::size_t word = 0; word < words.size(); ++word) {
    for (float& weight : words[word]) {
      weight /= std::max(1.0F, pieces[word]);
    }
  }
  return words;
}

std::vector<std::pair<std::size_t, std::size_t>> hard_alignment_links(
    const SoftAlignment& alignment) {
  std::vector<std::pair<std::size_t, std::size_t>> links;
  for (std::size_t target = 0; target < alignment.size(); ++target) {
    const std::vector<float>& row = alignment[target];
    const auto best = std::max_element(row.begin(), row.end());
    if (best != row.end() && *best > 0) {
      links.emplace_back(static_cast<std::size_t>(best - row.begin()), target);
    }
  }
  std::sort(links.begin(), links.end());
  return links;
}

std::string hard_alignment_text(const SoftAlignment& alignment) {
  std::string text;
  for (const auto& [source, target] : hard_alignment_links(alignment)) {
    text += fmt::format("{}{}-{}", text.empty() ? "" : " ", source, target);
  }
  return text;
}

std::string soft_alignment_text(const SoftAlignment& alignment) {
  std::string text;
  for (const std::vector<float>& row : alignment) {
    text += text.empty() ? "" : " ";
    for (std::size_t source = 0; source < row.size(); ++source) {
      text += fmt::format("{}{:.4f}", source == 0 ? "" : ",", row[source]);
    }
  }
  return text;
}

}  // namespace yona
