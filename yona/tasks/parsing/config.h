// The data of a parsing run: the keys data.* of its configuration.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "yona/trees/linearise.h"

namespace yona {

struct ParsingConfig {
  std::vector<std::filesystem::path> train;  // treebank files
  std::filesystem::path valid;
  std::string subwords = "bpe";      // bpe or unigram
  std::int64_t vocabulary_size = 0;  // of the words; 0: by the treebank
  LeafSymbol leaves = LeafSymbol::tag;
  std::int64_t max_length = 512;  // sub-words of a sentence, symbols of a tree
  double sampling = 0.0;          // BPE-dropout or unigram sampling of the words; 0: off
  double substitution = 0.0;      // share of constituents replaced by others; 0: off
};

}  // namespace yona
