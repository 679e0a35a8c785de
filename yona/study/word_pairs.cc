#include "yona/study/word_pairs.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/base/random.h"

namespace yona {

namespace {

constexpr std::int32_t kEndWord = 0, kUnknownWord = 1;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) {
      words.emplace_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace

WordPairs::Pairs WordPairs::different_pairs(builtin::Generator& generator, std::int64_t count,
                                            std::set<std::string>& seen) {
  constexpr int kMostRepetitions = 100'000;  // in a row
  Pairs pairs;
  int repetitions = 0;
  while (static_cast<std::int64_t>(pairs.size()) < count) {
    check(repetitions < kMostRepetitions,
          "study: {} different pairs are wanted, the generator has only about {}", count,
          pairs.size());
    Pair pair = generator.next_pair();
    const bool is_new = seen.insert(pair.first).second;
    repetitions = is_new ? 0 : repetitions + 1;
    if (is_new) {
      pairs.push_back(std::move(pair));
    }
  }
  return pairs;
}

WordPairs::WordPairs(const Sizes& sizes, std::uint64_t seed) : words_{"</s>", "<unk>"} {
  const builtin::Options options{.source = "en", .target = "fr", .seed = seed};
  builtin::Generator train(options, builtin::Split::train);
  builtin::Generator held_out(options, builtin::Split::test);
  std::set<std::string> seen;
  training_ = different_pairs(train, sizes.training, seen);
  validation_ = different_pairs(held_out, sizes.validation, seen);
  test_ = different_pairs(held_out, sizes.test, seen);
  for (const Pair& pair : training_) {
    collect_words(pair);
  }
}

void WordPairs::collect_words(const Pair& pair) {
  for (const std::string* text : {&pair.first, &pair.second}) {
    for (const std::string& word : words_of(*text)) {
      const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(word, 0));
      if (at == sorted_.end() || at->first != word) {
        sorted_.insert(at, {word, static_cast<std::int32_t>(words_.size())});
        words_.push_back(word);
      }
    }
  }
}

std::vector<std::int32_t> WordPairs::ids_of(std::string_view text) const {
  std::vector<std::int32_t> ids;
  for (const std::string& word : words_of(text)) {
    const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(word, 0));
    ids.push_back(at != sorted_.end() && at->first == word ? at->second : kUnknownWord);
  }
  ids.push_back(kEndWord);
  return ids;
}

void WordPairs::append(Batch& batch, const Pair& pair, std::uint64_t id) const {
  const auto put = [&](Side& side, const std::string& text) {
    const std::vector<std::int32_t> ids = ids_of(text);
    side.ids.insert(side.ids.end(), ids.begin(), ids.end());
    side.end_example();
  };
  put(batch.sides[kSource], pair.first);
  put(batch.sides[kTarget], pair.second);
  batch.example_ids.push_back(id);
  batch.weights.push_back(1.0F);
}

Batch WordPairs::training_batch(std::int64_t count, std::int64_t limit, std::uint64_t key) const {
  Batch batch;
  batch.clear();
  RandomSequence random(key);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t at = random.below(static_cast<std::uint64_t>(limit));
    append(batch, training_[at], at);
  }
  return batch;
}

Batch WordPairs::batch_of(const Pairs& pairs) const {
  Batch batch;
  batch.clear();
  for (const Pair& pair : pairs) {
    append(batch, pair, static_cast<std::uint64_t>(batch.example_ids.size()));
  }
  return batch;
}

std::vector<std::string> WordPairs::references() const {
  std::vector<std::string> texts;
  for (const Pair& pair : test_) {
    texts.push_back(pair.second);
  }
  return texts;
}

std::string WordPairs::text_of(const std::vector<std::int32_t>& ids) const {
  std::string text;
  for (const std::int32_t id : ids) {
    if (id == kEndWord) {
      break;
    }
    text += (text.empty() ? "" : " ") + words_[static_cast<std::size_t>(id)];
  }
  return text;
}

}  // namespace yona
