#include "yona/trees/normalise.h"

#include <vector>

namespace yona {

namespace {

constexpr std::string_view kEmptyElement = "-NONE-";

bool is_outer_label(std::string_view label) {
  return label.empty() || label == kTopLabel || label == "ROOT" || label == "S1";
}

bool is_kept_leaf(const TreeNode& node) { return node.is_leaf() && node.label != kEmptyElement; }

// Copies what is below `root`, and the root under a label of choice.
class Copier {
 public:
  explicit Copier(const std::vector<TreeNode>& nodes) : nodes_(nodes), words_before_(1) {
    for (const TreeNode& node : nodes) {
      words_before_.push_back(words_before_.back() + (is_kept_leaf(node) ? 1 : 0));
    }
  }

  bool is_kept(std::size_t node) const {
    return words_before_[nodes_[node].end] > words_before_[node];
  }

  // The only child that is kept, or the node itself where there are several, or it is a leaf.
  std::size_t only_child(std::size_t node) const {
    std::size_t found = node;
    for (std::size_t i = node + 1; i < nodes_[node].end; i = nodes_[i].end) {
      if (is_kept(i)) {
        if (found != node) {
          return node;
        }
        found = i;
      }
    }
    return found;
  }

  void copy(std::size_t root, TreeBuilder& builder) const {
    std::vector<std::size_t> ends;
    for (std::size_t i = root; i < nodes_[root].end; ++i) {
      for (; !ends.empty() && ends.back() == i; ends.pop_back()) {
        builder.close();
      }
      if (!is_kept(i)) {
        i = nodes_[i].end - 1;
      } else if (nodes_[i].is_leaf()) {
        builder.leaf(nodes_[i].label, nodes_[i].word);
      } else {
        const std::string_view label = bare_label(nodes_[i].label);
        builder.open(std::string(i == root && is_outer_label(label) ? kTopLabel : label));
        ends.push_back(nodes_[i].end);
      }
    }
    for (; !ends.empty(); ends.pop_back()) {
      builder.close();
    }
  }

 private:
  const std::vector<TreeNode>& nodes_;
  std::vector<std::size_t> words_before_;  // each node
};

}  // namespace

std::string_view bare_label(std::string_view label) {
  const std::size_t cut = label.find_first_of("-=");
  return cut == 0 ? label : label.substr(0, cut);
}

Tree normalised(const Tree& tree) {
  const std::vector<TreeNode>& nodes = tree.nodes();
  const Copier copier(nodes);
  if (nodes.empty() || !copier.is_kept(0)) {
    return {};
  }
  std::size_t root = 0;
  while (!nodes[root].is_leaf() && is_outer_label(bare_label(nodes[root].label))) {
    const std::size_t child = copier.only_child(root);
    if (child == root || nodes[child].is_leaf()) {
      break;
    }
    root = child;
  }
  TreeBuilder builder;
  if (nodes[root].is_leaf()) {
    builder.open(std::string(kTopLabel));
    copier.copy(root, builder);
    builder.close();
  } else {
    copier.copy(root, builder);
  }
  return builder.finish();
}

}  // namespace yona
