// Symbols that make a well-formed tree over a given number of words (trees/linearise.h): every
// bracket is closed by its own label and has something in it, there is one root, and there are as
// many word symbols as words. Where word symbols are tags, a punctuation mark gets one of the
// Treebank's punctuation tags, and a word with letters or digits does not: EVALB leaves out
// punctuation by its tags, and has no figures for a sentence of which other words are left.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "yona/decode/output_rule.h"
#include "yona/text/vocabulary.h"

namespace yona {

// What each id of a symbol vocabulary means.
class TreeSymbols {
 public:
  enum class Kind : std::uint8_t { open, close, word, end, other };

  explicit TreeSymbols(const Vocabulary& vocabulary);

  Kind kind(std::int32_t id) const { return kinds_[static_cast<std::size_t>(id)]; }
  // Of an opening bracket, the id that closes it; -1 where the vocabulary lacks it.
  std::int32_t closing(std::int32_t id) const { return closing_[static_cast<std::size_t>(id)]; }
  const Ids& all(Kind kind) const { return ids_[static_cast<std::size_t>(kind)]; }
  // Word symbols: the tags of punctuation, and the others.
  const Ids& punctuation_tags() const { return punctuation_; }
  const Ids& other_tags() const { return others_; }

 private:
  std::vector<Kind> kinds_;
  std::vector<std::int32_t> closing_;
  std::vector<Ids> ids_;  // by kind
  Ids punctuation_, others_;
};

class TreeRule : public OutputRule {
 public:
  static constexpr std::size_t kMostOpened = 8;  // brackets opened without a word between them

  TreeRule(std::shared_ptr<const TreeSymbols> symbols, std::span<const std::string> words);

  void append_bans(std::span<const std::int32_t> ids, Ids& bans) const override;

 private:
  enum class WordClass : std::uint8_t { punctuation, word, either };

  static WordClass class_of(const std::string& word);
  void append_tag_bans(WordClass word, Ids& bans) const;

  std::shared_ptr<const TreeSymbols> symbols_;
  std::vector<WordClass> words_;
};

}  // namespace yona
