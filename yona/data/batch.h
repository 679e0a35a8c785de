// A batch as it leaves the data folder: token ids of many sentences in a row, and where each ends.
// No padding exists.
#pragma once

#include <cstdint>
#include <vector>

namespace yona {

// Sentence i is ids[offsets[i]] … ids[offsets[i + 1] - 1].
struct RaggedIds {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> offsets;  // sentences + 1, first 0

  std::int64_t sentences() const {
    return offsets.empty() ? 0 : static_cast<std::int64_t>(offsets.size()) - 1;
  }
  std::int64_t tokens() const { return static_cast<std::int64_t>(ids.size()); }
  void clear() {  // keeps the storage
    ids.clear();
    offsets.assign(1, 0);
  }
  void end_sentence() { offsets.push_back(tokens()); }
};

// Both sides of a sentence are never empty: </s> is there, mostly at the end. Everything is per
// sentence and in the same order.
struct PairBatch {
  RaggedIds source;
  RaggedIds target;
  std::vector<std::uint64_t> sentence_ids;  // see sentence_id(); the same in every batch and epoch
  std::vector<float> weights;               // 1 unless the corpus gives another
  std::int64_t epoch = 0;
  std::int64_t index = 0;  // of the batch in its epoch

  std::int64_t sentences() const { return source.sentences(); }
  void clear() {
    source.clear();
    target.clear();
    sentence_ids.clear();
    weights.clear();
  }
};

// Names a pair for good: which corpus of the run, and which line of it (from 0).
constexpr std::uint64_t sentence_id(std::uint64_t corpus, std::uint64_t line) {
  return (corpus << 48U) | line;
}
constexpr std::uint64_t corpus_of(std::uint64_t sentence) { return sentence >> 48U; }
constexpr std::uint64_t line_of(std::uint64_t sentence) {
  return sentence & ((std::uint64_t{1} << 48U) - 1);
}

}  // namespace yona
