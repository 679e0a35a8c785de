#include "yona/trees/tree.h"

#include <algorithm>

#include "yona/base/error.h"

namespace yona {

namespace {

struct ConstituentCollector {
  std::vector<Constituent> found{};
  std::vector<std::size_t> open_ones{};
  std::size_t words = 0;

  void open(const TreeNode& node) {
    open_ones.push_back(found.size());
    found.push_back({node.label, words, words});
  }
  void leaf(const TreeNode& /*node*/) { ++words; }
  void close(const TreeNode& /*node*/) {
    found[open_ones.back()].end = words;
    open_ones.pop_back();
  }
};

struct DepthMeter {
  std::size_t level = 0, deepest = 0;

  void open(const TreeNode& /*node*/) { deepest = std::max(deepest, ++level); }
  void leaf(const TreeNode& /*node*/) { deepest = std::max(deepest, level + 1); }
  void close(const TreeNode& /*node*/) { --level; }
};

}  // namespace

std::vector<std::string> Tree::words() const {
  std::vector<std::string> words;
  for (const TreeNode& node : nodes_) {
    if (node.is_leaf()) {
      words.push_back(node.word);
    }
  }
  return words;
}

std::vector<std::string> Tree::tags() const {
  std::vector<std::string> tags;
  for (const TreeNode& node : nodes_) {
    if (node.is_leaf()) {
      tags.push_back(node.label);
    }
  }
  return tags;
}

std::vector<Constituent> Tree::constituents() const {
  ConstituentCollector collector;
  walk(*this, collector);
  return std::move(collector.found);
}

std::size_t Tree::depth() const {
  DepthMeter meter;
  walk(*this, meter);
  return meter.deepest;
}

void TreeBuilder::open(std::string label) {
  open_.push_back(tree_.nodes_.size());
  tree_.nodes_.push_back({std::move(label), "", 0});
}

void TreeBuilder::leaf(std::string tag, std::string word) {
  check(!word.empty(), "tree: the word of tag '{}' is empty", tag);
  const std::size_t end = tree_.nodes_.size() + 1;
  tree_.nodes_.push_back({std::move(tag), std::move(word), end});
}

void TreeBuilder::close() {
  check(!open_.empty(), "tree: no constituent is open");
  TreeNode& node = tree_.nodes_[open_.back()];
  node.end = tree_.nodes_.size();
  check(node.end > open_.back() + 1, "tree: the constituent {} is empty", node.label);
  open_.pop_back();
}

Tree TreeBuilder::finish() {
  check(open_.empty(), "tree: {} constituents are open", open_.size());
  check(tree_.empty() || tree_.nodes_.front().end == tree_.nodes_.size(),
        "tree: there is more than one root");
  return std::exchange(tree_, Tree());
}

Tree with_tags(const Tree& tree, std::span<const std::string> tags) {
  TreeBuilder builder;
  struct Retagger {
    TreeBuilder& builder;
    std::span<const std::string> tags;
    std::size_t used = 0;

    void open(const TreeNode& node) { builder.open(node.label); }
    void leaf(const TreeNode& node) {
      builder.leaf(used < tags.size() ? tags[used] : "", node.word);
      ++used;
    }
    void close(const TreeNode& /*node*/) { builder.close(); }
  } retagger{builder, tags};
  walk(tree, retagger);
  check(retagger.used == tags.size(), "tree: there are {} tags for {} words", tags.size(),
        retagger.used);
  return builder.finish();
}

}  // namespace yona
