// Word alignments, and how well attention finds them: the alignment error rate of Och and Ney
// (2003) against manual links.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/json.h"
#include "yona/inspect/attention.h"
#include "yona/inspect/words.h"

namespace yona {

struct AlignmentLink {
  std::int64_t source = 0, target = 0;  // words, from 0
  auto operator<=>(const AlignmentLink&) const = default;
};

// What people drew: sure links, and possible ones, which include the sure.
struct GoldAlignment {
  std::vector<AlignmentLink> sure, possible;  // sorted, each once
};

// Reads "0-0 1-2 2p3": i-j is sure, ipj (or i?j) possible; words are counted from `base`. Throws
// FormatError "NAME: …" for anything else; `name` says where the line is, as gold.align:17.
GoldAlignment parse_alignment(std::string_view line, std::int64_t base, std::string_view name);

// Removes links to words that are not there; gives their number.
std::int64_t drop_outside(GoldAlignment& gold, std::int64_t source_words,
                          std::int64_t target_words);

// Each target word's best source word, where it has any weight: [target, source] as from
// word_attention().
std::vector<AlignmentLink> hard_alignment(std::span<const float> weights, std::int64_t source_words,
                                          std::int64_t target_words);

struct AlignmentScore {
  std::int64_t links = 0, sure = 0;           // |A|, |S|
  std::int64_t in_sure = 0, in_possible = 0;  // |A ∩ S|, |A ∩ P|

  void add(const std::vector<AlignmentLink>& links, const GoldAlignment& gold);
  double precision() const;   // |A ∩ P| / |A|
  double recall() const;      // |A ∩ S| / |S|
  double error_rate() const;  // 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|); 0 when both are empty
};

// The score of each head of the cross attention and of the mean over the heads of each layer, over
// a corpus, for both ways to read it.
class AlignmentScores {
 public:
  struct Entry {
    std::int64_t layer = 0;            // from 0
    std::optional<std::int64_t> head;  // from 0; nothing: the mean over the heads
    AlignAt at = AlignAt::writing;
    AlignmentScore score;
  };

  // `maps` are those of the words' ids, with the target forced.
  void add(const AttentionMaps& maps, const WordTokens& source, const WordTokens& target,
           const GoldAlignment& gold);
  const std::vector<Entry>& entries() const { return entries_; }
  // The entry with the lowest error rate; nothing has been added: null.
  const Entry* best() const;

 private:
  std::vector<Entry> entries_;
};

// A table of error rates in per cent: layers below each other, heads side by side, for each way to
// read; then the best entry with precision and recall.
std::string alignment_table(const AlignmentScores& scores);
Json alignment_json(const AlignmentScores& scores);

}  // namespace yona
