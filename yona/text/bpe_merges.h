// Byte-pair encoding by a list of merges, the first the strongest (Sennrich et al. 2016): what
// merges.txt and tokenizer.json hold. SentencePiece's BPE goes by the scores of pieces instead.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "yona/text/vocabulary.h"

namespace yona {

class BpeMerges {
 public:
  using Pair = std::pair<std::string, std::string>;

  // A merge makes the piece `left` + `right`, the latter without the mark of pieces inside a word
  // ("##", say), if it has one; of equal merges the last one counts. Throws FormatError naming
  // `name` for a merge whose parts or result are not in the vocabulary.
  BpeMerges(const std::vector<Pair>& merges, const Vocabulary& vocabulary, std::string_view name,
            std::string_view continuation_mark = {});

  // Merges neighbours, the strongest pair first and of equal ones the leftmost, until none is left.
  void merge(std::vector<std::int32_t>& symbols) const;

 private:
  struct Merge {
    std::int32_t rank, result;
  };
  const Merge* find(std::int32_t left, std::int32_t right) const;

  std::unordered_map<std::uint64_t, Merge> merges_;  // left and right id in one key
};

// The merges of a merges.txt: two pieces a line; the first line may be a "#version" one. Throws
// FormatError naming file and line.
std::vector<BpeMerges::Pair> parse_merges(std::string_view text, std::string_view name);

}  // namespace yona
