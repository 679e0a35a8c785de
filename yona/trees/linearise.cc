#include "yona/trees/linearise.h"

#include <unordered_map>

#include "yona/base/error.h"
#include "yona/trees/escapes.h"
#include "yona/trees/normalise.h"

namespace yona {

namespace {

struct Linearizer {
  LeafSymbol leaves;
  std::vector<std::string> symbols{};

  void open(const TreeNode& node) { symbols.emplace_back("(").append(node.label); }
  void leaf(const TreeNode& node) {
    symbols.push_back(leaves == LeafSymbol::tag ? node.label : std::string(kWordSymbol));
  }
  void close(const TreeNode& node) { symbols.emplace_back(")").append(node.label); }
};

// Nodes in depth-first order as the symbols come. Several roots may arise on the way.
class Repairer {
 public:
  explicit Repairer(std::span<const std::string> words) : words_(words) {}

  void take(std::string_view symbol) {
    const bool opens = symbol.starts_with('(');
    const bool closes = symbol.starts_with(')');
    const std::string_view label = symbol.substr(opens || closes ? 1 : 0);
    if (closes && label.empty()) {
      close_innermost();
    } else if (!is_tree_atom(label)) {
      ++repairs_.ignored;
    } else if (opens) {
      ++open_labels_[std::string(label)];
      open_.push_back(nodes_.size());
      nodes_.push_back({std::string(label), "", 0});
    } else if (closes) {
      close_label(std::string(label));
    } else if (used_ == words_.size()) {
      ++repairs_.extra_words;
    } else {
      add_word(label);
    }
  }

  Tree finish(Repairs* repairs) {
    while (!open_.empty()) {
      pop();
      ++repairs_.unclosed;
    }
    const bool has_root = !nodes_.empty() && nodes_[0].end == nodes_.size() && !nodes_[0].is_leaf();
    repairs_.lost_words = words_.size() - used_;
    while (used_ < words_.size()) {
      add_word(kWordSymbol);
    }
    repairs_.roots = !has_root && !words_.empty() ? 1 : 0;
    if (repairs != nullptr) {
      *repairs = repairs_;
    }
    return build(has_root);
  }

 private:
  void add_word(std::string_view tag) {
    nodes_.push_back({std::string(tag), escaped_word(words_[used_++]), nodes_.size() + 1});
  }

  void pop() {
    const std::size_t node = open_.back();
    open_.pop_back();
    --open_labels_[nodes_[node].label];
    nodes_[node].end = nodes_.size();
    if (nodes_[node].end == node + 1) {
      nodes_.pop_back();
      ++repairs_.empty;
    }
  }

  void close_innermost() {
    if (open_.empty()) {
      ++repairs_.unopened;
    } else {
      pop();
    }
  }

  void close_label(const std::string& label) {
    const auto found = open_labels_.find(label);
    if (found == open_labels_.end() || found->second == 0) {
      ++repairs_.unopened;
      return;
    }
    for (; nodes_[open_.back()].label != label; ++repairs_.unclosed) {
      pop();
    }
    pop();
  }

  Tree build(bool has_root) {
    TreeBuilder builder;
    std::vector<std::size_t> ends;
    if (has_root) {
      nodes_[0].end = nodes_.size();  // words that were left are part of it
    } else if (!words_.empty()) {
      builder.open(std::string(kTopLabel));
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (; !ends.empty() && ends.back() == i; ends.pop_back()) {
        builder.close();
      }
      if (nodes_[i].is_leaf()) {
        builder.leaf(std::move(nodes_[i].label), std::move(nodes_[i].word));
      } else {
        builder.open(std::move(nodes_[i].label));
        ends.push_back(nodes_[i].end);
      }
    }
    while (builder.open_constituents() > 0) {
      builder.close();
    }
    return builder.finish();
  }

  std::span<const std::string> words_;
  std::size_t used_ = 0;
  std::vector<TreeNode> nodes_;
  std::vector<std::size_t> open_;
  std::unordered_map<std::string, std::size_t> open_labels_;  // how many of each are open
  Repairs repairs_;
};

}  // namespace

bool Repairs::any() const {
  return ignored + unopened + unclosed + empty + extra_words + lost_words + roots > 0;
}

std::vector<std::string> linearised(const Tree& tree, LeafSymbol leaves) {
  Linearizer linearizer{leaves};
  walk(tree, linearizer);
  return std::move(linearizer.symbols);
}

Tree tree_from(std::span<const std::string> symbols, std::span<const std::string> words,
               Repairs* repairs) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    check(is_tree_atom(escaped_word(words[i])),
          "tree: word {} is empty, has white space, or is not UTF-8", i + 1);
  }
  Repairer repairer(words);
  for (const std::string& symbol : symbols) {
    repairer.take(symbol);
  }
  return repairer.finish(repairs);
}

}  // namespace yona
