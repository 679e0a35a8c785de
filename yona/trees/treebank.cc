#include "yona/trees/treebank.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/trees/escapes.h"
#include "yona/trees/normalise.h"
#include "yona/trees/tree_reader.h"

namespace yona {

namespace {

std::vector<std::string> symbols_of(std::string_view line) {
  std::vector<std::string> symbols;
  for (std::size_t begin = line.find_first_not_of(' '); begin != line.npos;) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    symbols.emplace_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(' ', end);
  }
  return symbols;
}

void append_word(std::string_view word, std::string& line) {
  line += line.empty() ? "" : " ";
  line += word;
}

}  // namespace

std::vector<Tree> read_treebank(const std::vector<std::filesystem::path>& files) {
  std::vector<Tree> trees;
  for (const std::filesystem::path& path : files) {
    const std::size_t before = trees.size();
    TreeReader reader(path);
    for (Tree tree; reader.next(tree);) {
      if (Tree kept = normalised(tree); !kept.empty()) {
        trees.push_back(std::move(kept));
      }
    }
    check<FormatError>(trees.size() > before,
                       "{}: has no trees; expected Penn Treebank brackets, (S (NP …) …)",
                       path.string());
  }
  return trees;
}

std::string model_line(std::span<const std::string> words) {
  std::string line;
  bool is_open = false;
  for (const std::string& word : words) {
    if (word == "\"") {
      append_word(is_open ? "''" : "``", line);
      is_open = !is_open;
    } else {
      append_word(plain_word(word), line);
    }
  }
  return line;
}

std::string symbol_line(const Tree& tree, LeafSymbol leaves) {
  std::string line;
  for (const std::string& symbol : linearised(tree, leaves)) {
    append_word(symbol, line);
  }
  return line;
}

Tree tree_of_symbols(std::string_view line, std::span<const std::string> words) {
  const Tree tree = tree_from(symbols_of(line), words);
  std::vector<std::string> tags = tree.tags();
  for (std::size_t i = 0; i < tags.size(); ++i) {
    if (tags[i] == kWordSymbol) {
      tags[i] = punctuation_tag(escaped_word(words[i])).value_or(kWordSymbol);
    }
  }
  return with_tags(tree, tags);
}

}  // namespace yona
