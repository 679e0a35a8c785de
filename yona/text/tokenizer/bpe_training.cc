#include "yona/text/tokenizer/bpe_training.h"

#include <algorithm>
#include <queue>
#include <set>

#include "yona/text/byte_level_bpe.h"

namespace yona {

namespace {

using Pair = std::pair<std::int32_t, std::int32_t>;

struct PairHash {
  std::size_t operator()(const Pair& pair) const {
    return std::hash<std::uint64_t>()((static_cast<std::uint64_t>(pair.first) << 32U) |
                                      static_cast<std::uint32_t>(pair.second));
  }
};

struct Word {
  std::vector<std::int32_t> symbols;
  std::int64_t count;
};

struct PairUse {
  std::int64_t count = 0;
  std::set<std::size_t> words;  // that may have it
};

struct Candidate {
  std::int64_t count;
  Pair pair;
  bool operator<(const Candidate& other) const {  // the most frequent, then the first, is greatest
    return count != other.count ? count < other.count : pair > other.pair;
  }
};

class MergeLearner {
 public:
  explicit MergeLearner(std::vector<Word> words) : words_(std::move(words)) {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      count_pairs(w, 1);
    }
    for (const auto& [pair, use] : uses_) {
      queue_.push({use.count, pair});
    }
  }

  // The best pair now; count 0 where there is none.
  Candidate best() {
    while (!queue_.empty()) {
      const Candidate top = queue_.top();
      queue_.pop();
      const std::int64_t now = uses_[top.pair].count;
      if (now == top.count) {
        return top;
      }
      if (now > 0) {
        queue_.push({now, top.pair});
      }
    }
    return {0, {}};
  }

  void merge(const Pair& pair, std::int32_t result) {
    const std::set<std::size_t> affected = std::move(uses_[pair].words);
    std::set<Pair> changed;
    for (const std::size_t w : affected) {
      count_pairs(w, -1);
      std::vector<std::int32_t>& symbols = words_[w].symbols;
      std::size_t kept = 0;
      for (std::size_t i = 0; i < symbols.size(); ++i) {
        const bool is_pair =
            i + 1 < symbols.size() && symbols[i] == pair.first && symbols[i + 1] == pair.second;
        symbols[kept++] = is_pair ? result : symbols[i];
        i += is_pair ? 1 : 0;
      }
      symbols.resize(kept);
      count_pairs(w, 1);
      for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
        changed.insert({symbols[i], symbols[i + 1]});
      }
    }
    uses_.erase(pair);
    for (const Pair& each : changed) {
      queue_.push({uses_[each].count, each});
    }
  }

 private:
  void count_pairs(std::size_t w, int sign) {
    const Word& word = words_[w];
    for (std::size_t i = 0; i + 1 < word.symbols.size(); ++i) {
      PairUse& use = uses_[{word.symbols[i], word.symbols[i + 1]}];
      use.count += sign * word.count;
      if (sign > 0) {
        use.words.insert(w);
      }
    }
  }

  std::vector<Word> words_;
  std::unordered_map<Pair, PairUse, PairHash> uses_;
  std::priority_queue<Candidate> queue_;
};

}  // namespace

void BpeTrainer::add(std::string_view text) {
  for (const std::string_view word : split_words(text)) {
    ++words_[std::string(word)];
  }
}

LearnedBpe BpeTrainer::learn(std::int64_t size) const {
  LearnedBpe learned;
  for (int byte = 0; byte < 256; ++byte) {
    learned.pieces.push_back(character_of_byte(static_cast<unsigned char>(byte)));
  }
  std::vector<std::pair<std::string, std::int64_t>> sorted(words_.begin(), words_.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<Word> words;
  for (const auto& [text, count] : sorted) {
    Word& word = words.emplace_back(Word{{}, count});
    for (const char byte : text) {
      word.symbols.push_back(static_cast<unsigned char>(byte));
    }
  }
  MergeLearner learner(std::move(words));
  while (static_cast<std::int64_t>(learned.pieces.size()) < size) {
    const Candidate best = learner.best();
    if (best.count < 2) {
      break;
    }
    const std::string left = learned.pieces[static_cast<std::size_t>(best.pair.first)];
    const std::string right = learned.pieces[static_cast<std::size_t>(best.pair.second)];
    learner.merge(best.pair, static_cast<std::int32_t>(learned.pieces.size()));
    learned.merges.emplace_back(left, right);
    learned.pieces.push_back(left + right);
  }
  return learned;
}

}  // namespace yona
