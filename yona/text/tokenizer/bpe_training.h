// Byte-level BPE learned from counted words (Sennrich et al. 2016; Radford et al. 2019): the most
// frequent pair of neighbours becomes a token, again and again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "yona/text/bpe_merges.h"

namespace yona {

struct LearnedBpe {
  std::vector<std::string> pieces;  // 256 bytes, and then what merges make
  std::vector<BpeMerges::Pair> merges;
};

class BpeTrainer {
 public:
  // Counts the words of a text (split_words()).
  void add(std::string_view text);
  // `size` pieces, or fewer where no pair is left that occurs twice. Pairs that are equally
  // frequent are merged in the order of their pieces' ids: the same text gives the same merges.
  LearnedBpe learn(std::int64_t size) const;

 private:
  std::unordered_map<std::string, std::int64_t> words_;
};

}  // namespace yona
