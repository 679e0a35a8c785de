#include "yona/trees/tree_text.h"

#include <algorithm>

namespace yona {

namespace {

void add_leaf(std::string& text, const TreeNode& node) {
  text.append("(").append(node.label).append(" ").append(node.word).append(")");
}

struct LineWriter {
  std::string text{};

  void start() { text.append(text.empty() ? "" : " "); }
  void open(const TreeNode& node) {
    start();
    text.append("(").append(node.label);
  }
  void leaf(const TreeNode& node) {
    start();
    add_leaf(text, node);
  }
  void close(const TreeNode& /*node*/) { text += ')'; }
};

// A word follows on the line of the constituent's label until another constituent came between.
struct IndentWriter {
  std::string text{};
  std::size_t level = 0;
  bool is_new_line = false;

  void start(const TreeNode& node) {
    if (text.empty()) {
      return;
    }
    if (node.is_leaf() && !is_new_line) {
      text += ' ';
    } else {
      text += '\n';
      text.append(2 * std::min(level, kDeepestIndent), ' ');
    }
  }
  void open(const TreeNode& node) {
    start(node);
    text.append("(").append(node.label);
    ++level;
    is_new_line = false;
  }
  void leaf(const TreeNode& node) {
    start(node);
    add_leaf(text, node);
  }
  void close(const TreeNode& /*node*/) {
    text += ')';
    --level;
    is_new_line = true;
  }
};

}  // namespace

std::string to_brackets(const Tree& tree) {
  LineWriter writer;
  walk(tree, writer);
  return std::move(writer.text);
}

std::string to_indented(const Tree& tree) {
  IndentWriter writer;
  walk(tree, writer);
  return std::move(writer.text);
}

Json to_json(const Tree& tree) {
  Json constituents = Json::array();
  for (Constituent& constituent : tree.constituents()) {
    constituents.push_back({{"label", std::move(constituent.label)},
                            {"begin", constituent.begin},
                            {"end", constituent.end}});
  }
  return {{"tree", to_brackets(tree)},
          {"words", tree.words()},
          {"tags", tree.tags()},
          {"constituents", std::move(constituents)}};
}

}  // namespace yona
