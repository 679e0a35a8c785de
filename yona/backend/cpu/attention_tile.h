// How the CPU kernels cut attention into work: units for the pool, and tiles for
// the caches. None of it depends on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "yona/backend/attention_sentence.h"
#include "yona/backend/cpu/scratch.h"
#include "yona/backend/kernel_args.h"

namespace yona::cpu {

// A tile of scores and what it is made from stays in the first two caches; measured in
// bench/ops/attention_bench.cc.
inline constexpr std::int64_t kTileQueries = 64;
inline constexpr std::int64_t kTileKeys = 64;
inline constexpr std::int64_t kDropoutHeads = 8;  // share a block of decisions

// What one thread computes at a time: some queries of one sentence, for some neighbouring heads,
// which share a block of dropout decisions (dropout.h: heads 8n to 8n+7).
struct AttentionUnit {
  std::int64_t sentence = 0;
  std::int64_t head_begin = 0, head_end = 0;
  std::int64_t query_begin = 0, query_end = 0;
};

// Keys [begin, end) of a sentence.
struct KeyRange {
  std::int64_t begin = 0, end = 0;
};

// Some queries of a sentence, for one head.
struct HeadQueries {
  const AttentionArgs& args;
  const AttentionSentence& sentence;
  std::int64_t first = 0, count = 0;
  std::int64_t seen = 0;  // end of the keys that the last of them sees
  std::int64_t head = 0;
  std::span<const KeyRange> ranges{};  // of the keys that some of them see
  const std::uint8_t* kept = nullptr;  // what dropout keeps (attention_dropout-inl.h), or null

  std::int64_t first_row() const { return sentence.first_query + first; }
};

// Queries × keys of one sentence; rows and columns are counted from the tile's first.
struct AttentionTile {
  const AttentionSentence* sentence = nullptr;
  std::int64_t first_query = 0, queries = 0;
  std::int64_t first_key = 0, keys = 0;
  bool is_first = true;  // of the tiles of its queries

  // The end of the tile's keys that the query sees, and their begin.
  std::int64_t visible(std::int64_t query) const {
    return std::clamp<std::int64_t>(sentence->visible(first_query + query) - first_key, 0, keys);
  }
  std::int64_t first_visible(std::int64_t query) const {
    return std::clamp<std::int64_t>(sentence->first_visible(first_query + query) - first_key, 0,
                                    keys);
  }
  // The end of the tile's queries that see the key, and the first of them.
  std::int64_t seeing_end(std::int64_t key) const {
    return std::clamp<std::int64_t>(sentence->last_seeing(first_key + key) + 1 - first_query, 0,
                                    queries);
  }
  std::int64_t first_seeing(std::int64_t key) const {
    return std::clamp<std::int64_t>(sentence->first_seeing(first_key + key) - first_query, 0,
                                    queries);
  }
};

// Scratch memory for `count` elements.
template <class T>
T* elements_of(Scratch<T>& scratch, std::int64_t count) {
  return scratch.get(static_cast<std::size_t>(count));
}

// Distances between the queries and keys of a sentence: how many, and the one at an index. They go
// down from the last query's position, as along the lanes of a tile (attention_bias-inl.h).
inline std::int64_t bias_distances(const AttentionSentence& sentence) {
  return std::max<std::int64_t>(sentence.queries + sentence.keys - 1, 0);
}
inline std::int64_t bias_distance(const AttentionSentence& sentence, std::int64_t index) {
  return sentence.queries - 1 - index;
}

// Cuts [0, total) into the fewest parts of at most `most`, as even as can be.
class EvenParts {
 public:
  EvenParts(std::int64_t total, std::int64_t most)
      : total_(total), count_(total == 0 ? 0 : (total - 1) / most + 1) {}
  std::int64_t count() const { return count_; }
  std::int64_t begin(std::int64_t part) const { return part * total_ / count_; }

 private:
  std::int64_t total_;
  std::int64_t count_;
};

// Where the queries of a sentence are cut: 0, …, queries; valid until the thread's next call. Parts
// are of at most `most`, as even as can be. With a block list, a part lies within one block.
std::span<const std::int64_t> query_cuts(const AttentionPattern& pattern, std::int64_t queries,
                                         std::int64_t keys, std::int64_t most);

// The keys that some of a part's queries see, in order; valid until the thread's next call. Without
// a pattern, all that the last one sees.
std::span<const KeyRange> key_ranges(const AttentionPattern& pattern,
                                     const AttentionSentence& sentence, std::int64_t first,
                                     std::int64_t count);

// In place of a number of queries.
inline constexpr std::int64_t kWholeSentences = std::numeric_limits<std::int64_t>::max();

// The units of a call; valid until the thread's next call. Queries of a sentence are cut into parts
// of `most_queries`. Few sentences are cut into more groups of heads; `together` neighbouring heads
// stay in one unit.
const std::vector<AttentionUnit>& attention_units(const AttentionArgs& args,
                                                  std::int64_t most_queries,
                                                  std::int64_t together = 1);

// Where the weights of each sentence begin.
std::vector<float*> sentence_weights(const AttentionWeightsArgs& args);

// Where q, k and v are one tensor, so are their gradients, and only the first is not added to. The
// kernels write them in another order: so all start at zero there, and all are added to.
AttentionBackwardArgs without_aliases(AttentionBackwardArgs args);

}  // namespace yona::cpu
