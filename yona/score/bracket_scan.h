// One tree on one line as EVALB (Sekine and Collins 1997) reads it with COLLINS.prm: words without
// punctuation and traces, and brackets as spans of these words. It accepts what is not a proper
// tree, such as "(())" of a parser that failed, and text that breaks off.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace yona {

struct ScannedTree {
  struct Word {
    std::string_view tag, text;
  };
  struct Bracket {
    std::string_view label;  // as written, function tags included
    std::int64_t begin = 0;
    std::int64_t end = -1;  // -1: it was never closed
  };
  enum class Fault : std::uint8_t {
    none,
    unclosed,   // brackets at the end; EVALB counts what there is, as an error sentence
    unopened,   // a closing bracket too many; what follows is not read
    stray_word  // outside of a bracket, or beside another; what follows is not read
  };

  std::vector<Word> words;        // without those that are ignored
  std::vector<Bracket> brackets;  // in the order of their opening
  std::size_t length = 0;         // words with punctuation, without traces
  Fault fault = Fault::none;
};

// The views point into `line`. No recursion, linear time.
ScannedTree scan_brackets(std::string_view line);

// Is a word with this tag, or a constituent with this label, left out of all counts?
bool is_ignored_label(std::string_view label);

// What is wrong, for a message; "" where nothing is.
std::string_view description(ScannedTree::Fault fault);

}  // namespace yona
