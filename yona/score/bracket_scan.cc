#include "yona/score/bracket_scan.h"

#include <algorithm>
#include <array>

#include "yona/trees/escapes.h"

namespace yona {

namespace {

// DELETE_LABEL of COLLINS.prm.
constexpr std::array<std::string_view, 7> kIgnoredLabels{"TOP", "-NONE-", ",", ":",
                                                         "``",  "''",     "."};
constexpr std::string_view kTrace = "-NONE-";  // DELETE_LABEL_FOR_LENGTH

class BracketScanner {
 public:
  explicit BracketScanner(std::string_view line) : rest_(line) {}

  ScannedTree scan() {
    while (tree_.fault == ScannedTree::Fault::none && skip_space()) {
      if (rest_.front() == '(') {
        open();
      } else if (rest_.front() == ')') {
        close();
      } else {
        tree_.fault = ScannedTree::Fault::stray_word;
      }
    }
    if (tree_.fault == ScannedTree::Fault::none && !open_.empty()) {
      tree_.fault = ScannedTree::Fault::unclosed;
    }
    return std::move(tree_);
  }

 private:
  // False at the end of the line.
  bool skip_space() {
    while (!rest_.empty() && is_tree_space(rest_.front())) {
      rest_.remove_prefix(1);
    }
    return !rest_.empty();
  }

  std::string_view text() {
    const auto* const end = std::find_if(rest_.begin(), rest_.end(), [](char c) {
      return is_tree_space(c) || c == '(' || c == ')';
    });
    const std::string_view found = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(found.size());
    return found;
  }

  void open() {
    rest_.remove_prefix(1);
    const std::string_view label = text();
    const bool may_be_word = !rest_.empty() && is_tree_space(rest_.front());
    skip_space();
    const std::string_view word = may_be_word ? text() : std::string_view();
    if (may_be_word && skip_space() && rest_.front() == ')') {
      rest_.remove_prefix(1);
      add_word(label, word);  // "(NP )" is a word without letters, as in EVALB
    } else if (!word.empty()) {
      tree_.fault = ScannedTree::Fault::stray_word;
    } else {
      open_.push_back(tree_.brackets.size());
      tree_.brackets.push_back({label, static_cast<std::int64_t>(tree_.words.size()), -1});
    }
  }

  void add_word(std::string_view tag, std::string_view word) {
    tree_.length += tag == kTrace ? 0 : 1;
    if (!is_ignored_label(tag)) {
      tree_.words.push_back({tag, word});
    }
  }

  void close() {
    rest_.remove_prefix(1);
    if (open_.empty()) {
      tree_.fault = ScannedTree::Fault::unopened;
      return;
    }
    tree_.brackets[open_.back()].end = static_cast<std::int64_t>(tree_.words.size());
    open_.pop_back();
  }

  std::string_view rest_;
  ScannedTree tree_;
  std::vector<std::size_t> open_;
};

}  // namespace

ScannedTree scan_brackets(std::string_view line) { return BracketScanner(line).scan(); }

bool is_ignored_label(std::string_view label) {
  return std::find(kIgnoredLabels.begin(), kIgnoredLabels.end(), label) != kIgnoredLabels.end();
}

std::string_view description(ScannedTree::Fault fault) {
  switch (fault) {
    case ScannedTree::Fault::none:
      return "";
    case ScannedTree::Fault::unclosed:
      return "a bracket is not closed";
    case ScannedTree::Fault::unopened:
      return "a closing bracket has no opening one";
    case ScannedTree::Fault::stray_word:
      return "a word is not in a bracket of its own, (TAG word)";
  }
  return "";
}

}  // namespace yona
