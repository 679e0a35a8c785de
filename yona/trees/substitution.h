// New trees from old ones: a constituent is replaced by another of the same label and about the
// same number of words from anywhere in the treebank ("substructure substitution", Shi et al.
// 2021). It makes more of a small treebank.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "yona/base/random.h"
#include "yona/trees/tree.h"

namespace yona {

class TreeSubstitution {
 public:
  static constexpr std::size_t kMostWords = 12;  // of a constituent that is replaced

  // The trees must outlive this object.
  explicit TreeSubstitution(const std::vector<Tree>& trees);

  // The tree with each of its constituents but the root replaced with this probability, from the
  // outside to the inside; what was put in is left as it is. A function of the key. Thread-safe.
  Tree draw(const Tree& tree, double probability, std::uint64_t key) const;

 private:
  using Place = std::pair<std::uint32_t, std::uint32_t>;  // tree, node

  // Constituents by label and class of size.
  std::map<std::pair<std::string, std::size_t>, std::vector<Place>> places_;
  const std::vector<Tree>& trees_;
};

}  // namespace yona
