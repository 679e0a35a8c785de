#include "yona/text/word_piece_training.h"

#include <algorithm>
#include <queue>
#include <set>

#include "yona/base/error.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

constexpr std::size_t kMostCharacters = 1000;  // of the alphabet, the most frequent ones

using Pair = std::pair<std::int32_t, std::int32_t>;

struct Word {
  std::vector<std::int32_t> pieces;
  std::int64_t count = 0;
};

// The merges, with the number of occurrences of every pair kept up to date.
class Merger {
 public:
  Merger(const WordCounts& words, std::vector<std::string>& pieces) : pieces_(pieces) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      ids_[pieces[i]] = static_cast<std::int32_t>(i);
    }
    for (const auto& [text, count] : words.counts()) {
      append_word(text, count);
    }
    for (const auto& entry : counts_) {
      push(entry.first);
    }
  }

  // False when no pair occurs twice.
  bool merge_next() {
    while (!queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      if (counts_[best.pair] != best.count) {
        continue;  // it has changed since, and was pushed again
      }
      if (best.count < 2) {
        return false;
      }
      merge(best.pair);
      return true;
    }
    return false;
  }

 private:
  struct Candidate {
    std::int64_t count = 0;
    std::string text;  // of the merged piece: decides ties
    Pair pair;
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count
                                  : std::tie(text, pair) > std::tie(other.text, other.pair);
    }
  };

  std::string merged_text(const Pair& pair) const {
    return pieces_[static_cast<std::size_t>(pair.first)] +
           pieces_[static_cast<std::size_t>(pair.second)].substr(WordPiece::kContinuation.size());
  }

  void push(const Pair& pair) { queue_.push({counts_[pair], merged_text(pair), pair}); }

  // Words with a character outside the alphabet are unknown and teach nothing.
  void append_word(const std::string& text, std::int64_t count) {
    Word word{{}, count};
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t length = utf8_length(rest);
      const std::string piece = std::string(word.pieces.empty() ? "" : WordPiece::kContinuation) +
                                std::string(rest.substr(0, length));
      const auto id = ids_.find(piece);
      if (id == ids_.end()) {
        return;
      }
      word.pieces.push_back(id->second);
      rest.remove_prefix(length);
    }
    for (std::size_t i = 0; i + 1 < word.pieces.size(); ++i) {
      const Pair pair{word.pieces[i], word.pieces[i + 1]};
      counts_[pair] += count;
      places_[pair].insert(words_.size());
    }
    words_.push_back(std::move(word));
  }

  void merge(const Pair& pair) {
    const std::string text = merged_text(pair);
    auto id = ids_.find(text);
    if (id == ids_.end()) {
      id = ids_.emplace(text, static_cast<std::int32_t>(pieces_.size())).first;
      pieces_.push_back(text);
    }
    const std::set<std::size_t> places = places_[pair];
    std::set<Pair> changed;
    for (const std::size_t place : places) {
      merge_in(words_[place], place, pair, id->second, changed);
    }
    counts_.erase(pair);
    places_.erase(pair);
    changed.erase(pair);
    for (const Pair& other : changed) {
      push(other);
    }
  }

  void merge_in(Word& word, std::size_t place, const Pair& pair, std::int32_t merged,
                std::set<Pair>& changed) {
    change_pairs(word, place, -word.count, changed);
    std::vector<std::int32_t> pieces;
    for (std::size_t i = 0; i < word.pieces.size(); ++i) {
      const bool is_pair = i + 1 < word.pieces.size() && word.pieces[i] == pair.first &&
                           word.pieces[i + 1] == pair.second;
      pieces.push_back(is_pair ? merged : word.pieces[i]);
      i += is_pair ? 1 : 0;
    }
    word.pieces = std::move(pieces);
    change_pairs(word, place, word.count, changed);
  }

  void change_pairs(const Word& word, std::size_t place, std::int64_t change,
                    std::set<Pair>& changed) {
    for (std::size_t i = 0; i + 1 < word.pieces.size(); ++i) {
      const Pair pair{word.pieces[i], word.pieces[i + 1]};
      counts_[pair] += change;
      places_[pair].insert(place);
      changed.insert(pair);
    }
  }

  std::vector<std::string>& pieces_;
  std::map<std::string, std::int32_t> ids_;
  std::vector<Word> words_;
  std::map<Pair, std::int64_t> counts_;
  std::map<Pair, std::set<std::size_t>> places_;
  std::priority_queue<Candidate> queue_;
};

// The characters at the beginnings and inside of words, the most frequent first.
std::vector<std::string> alphabet_of(const WordCounts& words) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& [text, count] : words.counts()) {
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t length = utf8_length(rest);
      const bool is_first = rest.size() == text.size();
      counts[std::string(is_first ? "" : WordPiece::kContinuation) +
             std::string(rest.substr(0, length))] += count;
      rest.remove_prefix(length);
    }
  }
  std::vector<std::pair<std::string, std::int64_t>> ordered(counts.begin(), counts.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> alphabet;
  alphabet.reserve(ordered.size());
  for (const auto& entry : ordered) {
    alphabet.push_back(entry.first);
  }
  return alphabet;
}

}  // namespace

void WordCounts::add(std::string_view text) {
  for (std::string& word : bert_words(bert_normalised(text, normalisation_))) {
    ++counts_[std::move(word)];
  }
}

const std::vector<std::string>& bert_special_pieces() {
  static const std::vector<std::string> pieces{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  return pieces;
}

std::vector<std::string> train_word_pieces(const WordCounts& words, std::int64_t size) {
  std::vector<std::string> pieces = bert_special_pieces();
  check(size > static_cast<std::int64_t>(pieces.size()),
        "data.vocabulary_size: {} pieces have no room besides the {} special ones", size,
        pieces.size());
  std::vector<std::string> alphabet = alphabet_of(words);
  alphabet.resize(
      std::min({alphabet.size(), kMostCharacters, static_cast<std::size_t>(size) - pieces.size()}));
  pieces.insert(pieces.end(), alphabet.begin(), alphabet.end());
  Merger merger(words, pieces);
  while (static_cast<std::int64_t>(pieces.size()) < size && merger.merge_next()) {
  }
  return pieces;
}

}  // namespace yona
