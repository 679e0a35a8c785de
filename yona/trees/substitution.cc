#include "yona/trees/substitution.h"

#include <algorithm>

namespace yona {

namespace {

// Words below a node.
std::size_t words_below(const Tree& tree, std::size_t node) {
  const auto& nodes = tree.nodes();
  return static_cast<std::size_t>(
      std::count_if(nodes.begin() + static_cast<std::ptrdiff_t>(node),
                    nodes.begin() + static_cast<std::ptrdiff_t>(nodes[node].end),
                    [](const TreeNode& each) { return each.is_leaf(); }));
}

// 1, 2, 3, 4–5, 6–8, 9–12 words: the constituents of a class can take each other's place.
std::size_t size_class(std::size_t words) {
  return words <= 3 ? words : words <= 5 ? 4 : words <= 8 ? 5 : 6;
}

// Copies the nodes [begin, end) of a tree, which are whole constituents and leaves.
class NodeCopier {
 public:
  explicit NodeCopier(TreeBuilder& builder) : builder_(builder) {}

  void close_before(std::size_t node) {
    for (; !ends_.empty() && ends_.back() == node; ends_.pop_back()) {
      builder_.close();
    }
  }
  void copy(const TreeNode& node) {
    if (node.is_leaf()) {
      builder_.leaf(node.label, node.word);
    } else {
      builder_.open(node.label);
      ends_.push_back(node.end);
    }
  }

 private:
  TreeBuilder& builder_;
  std::vector<std::size_t> ends_;
};

void copy_below(const Tree& tree, std::size_t root, TreeBuilder& builder) {
  NodeCopier copier(builder);
  const auto& nodes = tree.nodes();
  for (std::size_t i = root; i < nodes[root].end; ++i) {
    copier.close_before(i);
    copier.copy(nodes[i]);
  }
  copier.close_before(nodes[root].end);
}

}  // namespace

TreeSubstitution::TreeSubstitution(const std::vector<Tree>& trees) : trees_(trees) {
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const auto& nodes = trees[t].nodes();
    for (std::size_t n = 1; n < nodes.size(); ++n) {
      const std::size_t words = nodes[n].is_leaf() ? 0 : words_below(trees[t], n);
      if (words > 0 && words <= kMostWords) {
        places_[{nodes[n].label, size_class(words)}].emplace_back(t, n);
      }
    }
  }
}

Tree TreeSubstitution::draw(const Tree& tree, double probability, std::uint64_t key) const {
  RandomSequence random(key);
  TreeBuilder builder;
  NodeCopier copier(builder);
  const auto& nodes = tree.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    copier.close_before(i);
    if (i > 0 && !nodes[i].is_leaf() && random.uniform() < probability) {
      const std::size_t words = words_below(tree, i);
      const auto found =
          words <= kMostWords ? places_.find({nodes[i].label, size_class(words)}) : places_.end();
      if (found != places_.end()) {
        const auto& [other, node] = found->second[random.below(found->second.size())];
        copy_below(trees_[other], node, builder);
        i = nodes[i].end - 1;
        continue;
      }
    }
    copier.copy(nodes[i]);
  }
  copier.close_before(nodes.size());
  return builder.finish();
}

}  // namespace yona
