// A phrase-structure tree over the words of one sentence, as in the Penn Treebank (Marcus et al.
// 1993). Constituency parsing (section 6.3 of "Attention Is All You Need") learns and writes these.
//
// The nodes are an array in depth-first order, so a tree of any depth is copied, compared, walked
// and freed without recursion:
//
//   (S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))      node    0  1  2   3   4  5
//                                                     label   S  NP DT  NN  VP VBZ
//                                                     end     6  4  3   4   6  6
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yona {

struct TreeNode {
  std::string label;    // of a constituent ("NP"), or the part-of-speech tag of a word ("NN")
  std::string word;     // of a leaf; empty for a constituent
  std::size_t end = 0;  // the first node that is not below this one

  bool is_leaf() const { return !word.empty(); }
  bool operator==(const TreeNode&) const = default;
};

// A constituent as the words [begin, end) and a label.
struct Constituent {
  std::string label;
  std::size_t begin = 0, end = 0;
  bool operator==(const Constituent&) const = default;
};

// A value. Empty (no words), or one root with at least one word under every constituent.
class Tree {
 public:
  Tree() = default;

  bool empty() const { return nodes_.empty(); }
  const std::vector<TreeNode>& nodes() const { return nodes_; }
  std::vector<std::string> words() const;
  std::vector<std::string> tags() const;
  // In depth-first order: of two over the same words, the outer one is first.
  std::vector<Constituent> constituents() const;
  // Levels of nodes: 2 for (NP (NN dogs)).
  std::size_t depth() const;

  bool operator==(const Tree&) const = default;

 private:
  friend class TreeBuilder;
  std::vector<TreeNode> nodes_;
};

// Makes a tree from left to right: open("NP"), leaf("DT", "the"), leaf("NN", "cat"), close().
class TreeBuilder {
 public:
  void open(std::string label);
  void leaf(std::string tag, std::string word);  // the word is not empty
  // Throws InvalidArgument where no constituent is open, or the innermost has no word.
  void close();

  std::size_t open_constituents() const { return open_.size(); }
  std::size_t nodes() const { return tree_.nodes_.size(); }
  // The tree, which leaves the builder empty. Throws InvalidArgument where a constituent is open or
  // there are several roots.
  Tree finish();

 private:
  Tree tree_;
  std::vector<std::size_t> open_;
};

// The same tree with these tags. Throws InvalidArgument where there is not one for each word.
Tree with_tags(const Tree& tree, std::span<const std::string> tags);

// Visits a tree from left to right without recursion. The visitor has open(node), leaf(node) and
// close(node).
template <class Visitor>
void walk(const Tree& tree, Visitor& visitor) {
  const std::vector<TreeNode>& nodes = tree.nodes();
  std::vector<const TreeNode*> open;
  for (std::size_t i = 0; i <= nodes.size(); ++i) {
    while (!open.empty() && open.back()->end == i) {
      visitor.close(*open.back());
      open.pop_back();
    }
    if (i == nodes.size()) {
      break;
    }
    if (nodes[i].is_leaf()) {
      visitor.leaf(nodes[i]);
    } else {
      visitor.open(nodes[i]);
      open.push_back(&nodes[i]);
    }
  }
}

}  // namespace yona
