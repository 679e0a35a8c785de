// A parser's tree beside the gold tree of the same sentence, as EVALB (Sekine and Collins 1997)
// counts with COLLINS.prm: constituents agree in span and label, ADVP and PRT being the same;
// function tags are cut off; TOP, punctuation and traces are left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace yona {

enum class SentenceStatus : std::uint8_t {
  valid = 0,
  error = 1,   // the trees do not have the same words, or one of them is not a tree
  skipped = 2  // the parser gave no words
};

struct BracketCounts {
  SentenceStatus status = SentenceStatus::valid;
  std::int64_t length = 0;  // words of the gold tree with punctuation, without traces
  std::int64_t gold = 0, test = 0, matched = 0;  // constituents
  std::int64_t crossing = 0;                     // constituents of the parser that cross a gold one
  std::int64_t words = 0, correct_tags = 0;      // without punctuation
  std::string reason;                            // of an error, for people
};

// Each tree is one line of brackets. Never throws; linear but for sorting.
BracketCounts compare_brackets(std::string_view test, std::string_view gold);

}  // namespace yona
