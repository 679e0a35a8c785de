#include "yona/decode/tree_rule.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>

namespace yona {

namespace {

// Those that EVALB leaves out (COLLINS.prm), and the marks that have no other tag in the Treebank.
constexpr std::array<std::string_view, 5> kPunctuationTags{",", ".", ":", "``", "''"};
constexpr std::array<std::string_view, 10> kMarks{",", ".",  ":",  ";",  "?",
                                                  "!", "``", "''", "--", "..."};

template <typename Strings>
bool is_among(const Strings& strings, std::string_view text) {
  return std::find(strings.begin(), strings.end(), text) != strings.end();
}

bool is_letter_or_digit(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= 'a' && byte <= 'z');
}

using Kind = TreeSymbols::Kind;

// Where an output that follows the rule has got to.
struct TreeState {
  Ids open{};                   // the brackets that are open, by id
  std::size_t words = 0;        // written
  std::size_t just_opened = 0;  // brackets since the last word or closing bracket

  void take(std::int32_t id, Kind kind) {
    if (kind == Kind::open) {
      open.push_back(id);
      ++just_opened;
      return;
    }
    if (kind == Kind::close && !open.empty()) {
      open.pop_back();
    }
    words += kind == Kind::word ? 1 : 0;
    just_opened = 0;
  }
};

}  // namespace

TreeSymbols::TreeSymbols(const Vocabulary& vocabulary) : ids_(5) {
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
    const std::string& piece = vocabulary.piece(id);
    const bool is_special = id == vocabulary.unknown() || id == vocabulary.pad();
    const Kind kind = id == vocabulary.end()   ? Kind::end
                      : is_special             ? Kind::other
                      : piece.starts_with('(') ? Kind::open
                      : piece.starts_with(')') ? Kind::close
                                               : Kind::word;
    kinds_.push_back(kind);
    std::string closing = piece;  // ")NP" of "(NP"
    closing.front() = ')';
    closing_.push_back(kind == Kind::open ? vocabulary.find(closing).value_or(-1) : -1);
    if (kind == Kind::word) {
      (is_among(kPunctuationTags, piece) ? punctuation_ : others_).push_back(id);
    }
    if (id != vocabulary.pad()) {  // which never comes out
      ids_[static_cast<std::size_t>(kind)].push_back(id);
    }
  }
}

TreeRule::TreeRule(std::shared_ptr<const TreeSymbols> symbols, std::span<const std::string> words)
    : symbols_(std::move(symbols)) {
  std::transform(words.begin(), words.end(), std::back_inserter(words_), class_of);
}

TreeRule::WordClass TreeRule::class_of(const std::string& word) {
  if (is_among(kMarks, word)) {
    return WordClass::punctuation;
  }
  return std::any_of(word.begin(), word.end(), is_letter_or_digit) ? WordClass::word
                                                                   : WordClass::either;
}

// Of a model that writes no tags, or no such tags, everything stays allowed.
void TreeRule::append_tag_bans(WordClass word, Ids& bans) const {
  const Ids& punctuation = symbols_->punctuation_tags();
  const Ids& others = symbols_->other_tags();
  if (word == WordClass::either || punctuation.empty() || others.empty()) {
    return;
  }
  const Ids& banned = word == WordClass::punctuation ? others : punctuation;
  bans.insert(bans.end(), banned.begin(), banned.end());
}

void TreeRule::append_bans(std::span<const std::int32_t> ids, Ids& bans) const {
  TreeState state;
  for (const std::int32_t id : ids) {
    state.take(id, symbols_->kind(id));
  }
  const auto ban = [&](Kind kind) {
    const Ids& all = symbols_->all(kind);
    bans.insert(bans.end(), all.begin(), all.end());
  };
  const bool is_done = state.words >= words_.size();
  const bool is_open = !state.open.empty();
  ban(Kind::other);
  if (is_open || !is_done) {
    ban(Kind::end);
  }
  if (is_done || !is_open) {
    ban(Kind::word);
  } else {
    append_tag_bans(words_[state.words], bans);
  }
  if (is_done || state.just_opened >= kMostOpened || (!is_open && !ids.empty())) {
    ban(Kind::open);
  }
  // The innermost bracket may be closed if it has something in it, and the root once all is said.
  const bool may_close = is_open && state.just_opened == 0 && (state.open.size() > 1 || is_done);
  const std::int32_t closing = may_close ? symbols_->closing(state.open.back()) : -1;
  for (const std::int32_t id : symbols_->all(Kind::close)) {
    if (id != closing) {
      bans.push_back(id);
    }
  }
}

}  // namespace yona
