// Constituency parsing as decoding (section 6.3 of "Attention Is All You Need"): the words of a
// sentence go in, the symbols of its tree come out (trees/linearise.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "yona/decode/options.h"
#include "yona/decode/request.h"
#include "yona/decode/tree_rule.h"
#include "yona/text/subword.h"
#include "yona/trees/tree.h"

namespace yona {

using Words = std::vector<std::string>;

// The paper's search is beam 21 and length penalty 0.3, with at most 300 symbols more than the
// sentence has tokens. A beam of 1 is greedy.
struct ParseSearch {
  std::int64_t beam = 21;
  double length_penalty = 0.3;
};

DecodeOptions parse_options(const ParseSearch& search, const Vocabulary& symbols,
                            DecodeOptions base = {});

// A sentence as token ids: what the model read and wrote.
struct ParsedIds {
  Ids source, target;
};

// Between words and trees on one side, and whatever decodes token ids on the other.
class Parser {
 public:
  using Decode =
      std::function<std::vector<std::vector<Hypothesis>>(std::span<const DecodeRequest>)>;

  struct Limits {
    std::int64_t max_source = 0;    // tokens of a sentence, </s> included
    std::int64_t first_number = 1;  // of the first sentence, in messages
  };

  // `decode` follows parse_options() and sorts sentences itself.
  Parser(const SubwordPair& subwords, const Limits& limits, Decode decode);

  // A well-formed tree over exactly the words of each sentence; empty where there are no words.
  // Throws InvalidArgument "sentence N: …" for more sub-words than the model takes, and as
  // tree_from() does.
  std::vector<Tree> parse(const std::vector<Words>& sentences) const;
  // The same before the symbols become trees.
  std::vector<ParsedIds> parse_ids(const std::vector<Words>& sentences) const;

 private:
  SubwordPair subwords_;
  std::shared_ptr<const TreeSymbols> symbols_;
  Limits limits_;
  Decode decode_;
};

}  // namespace yona
