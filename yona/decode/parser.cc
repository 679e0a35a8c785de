#include "yona/decode/parser.h"

#include <utility>

#include "yona/base/error.h"
#include "yona/trees/treebank.h"

namespace yona {

DecodeOptions parse_options(const ParseSearch& search, const Vocabulary& symbols,
                            DecodeOptions base) {
  base.beam = search.beam;
  base.length_penalty = search.length_penalty;
  base.limit = {.factor = 1.0, .extra = 300};
  base.end_id = symbols.end();
  base.unknown_id = symbols.unknown();
  base.scores = search.beam > 1;
  return base;
}

Parser::Parser(const SubwordPair& subwords, const Limits& limits, Decode decode)
    : subwords_(subwords),
      symbols_(std::make_shared<const TreeSymbols>(subwords.target.vocabulary())),
      limits_(limits),
      decode_(std::move(decode)) {}

std::vector<ParsedIds> Parser::parse_ids(const std::vector<Words>& sentences) const {
  std::vector<DecodeRequest> requests;
  for (const Words& words : sentences) {
    DecodeRequest& request = requests.emplace_back();
    if (!words.empty()) {
      subwords_.source.encode(model_line(words), request.source);
      request.source.push_back(subwords_.source.vocabulary().end());
    }
    const auto tokens = static_cast<std::int64_t>(request.source.size());
    check(tokens <= limits_.max_source, "sentence {}: has {} sub-words; the model takes {}",
          limits_.first_number + static_cast<std::int64_t>(requests.size()) - 1, tokens,
          limits_.max_source);
    request.rule = std::make_shared<const TreeRule>(symbols_, words);
  }
  std::vector<std::vector<Hypothesis>> answers = decode_(requests);
  std::vector<ParsedIds> all;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    all.push_back({std::move(requests[i].source), std::move(answers[i].at(0).ids)});
  }
  return all;
}

std::vector<Tree> Parser::parse(const std::vector<Words>& sentences) const {
  std::vector<Tree> trees;
  for (const ParsedIds& ids : parse_ids(sentences)) {
    const std::string symbols = subwords_.target.decode(ids.target);
    trees.push_back(tree_of_symbols(symbols, sentences[trees.size()]));
  }
  return trees;
}

}  // namespace yona
