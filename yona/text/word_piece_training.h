// A WordPiece vocabulary made from text: characters, and then the pairs that are most frequent next
// to each other inside words, merged again and again (as BPE does, Sennrich et al. 2016), with the
// pieces written as BERT has them. What published vocabularies were made with is not public.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "yona/text/word_piece.h"

namespace yona {

// How often each word occurs in the texts that were added.
class WordCounts {
 public:
  explicit WordCounts(const BertNormalisation& normalisation) : normalisation_(normalisation) {}
  void add(std::string_view text);
  const std::map<std::string, std::int64_t>& counts() const { return counts_; }

 private:
  BertNormalisation normalisation_;
  std::map<std::string, std::int64_t> counts_;
};

// [PAD], [UNK], [CLS], [SEP], [MASK] with ids 0 to 4, as the first pieces of every vocabulary.
const std::vector<std::string>& bert_special_pieces();

// At most `size` pieces, fewer where there is nothing left to merge: a pure function of the counts.
// Throws InvalidArgument when `size` has no room for the special pieces and one character.
std::vector<std::string> train_word_pieces(const WordCounts& words, std::int64_t size);

}  // namespace yona
