// Random trees for property tests: any shape, chains of constituents, words with brackets.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/random.h"
#include "yona/trees/tree.h"

namespace yona::testing {

template <std::size_t kCount>
std::string any_of(RandomSequence& random, const std::array<std::string_view, kCount>& choices) {
  return std::string(choices[random.below(kCount)]);
}

inline std::string random_label(RandomSequence& random) {
  return any_of<8>(random, {"S", "NP", "VP", "PP", "ADVP", "SBAR", "X-LRB", "Ü"});
}

inline std::string random_word(RandomSequence& random) {
  return any_of<8>(random, {"the", "cat", "-LRB-", "-RRB-", "\"", "Käse", "1\\/2", "XX"});
}

// One root, a constituent, with about `size` steps of opening, closing and adding words.
inline Tree random_tree(RandomSequence& random, std::size_t size) {
  TreeBuilder builder;
  builder.open(random_label(random));
  bool is_empty = true;  // the innermost constituent
  for (std::size_t step = 0; step < size; ++step) {
    const std::uint64_t kind = random.below(4);
    if (kind == 0) {
      builder.open(random_label(random));
      is_empty = true;
    } else if (kind == 1 && !is_empty && builder.open_constituents() > 1) {
      builder.close();
    } else {
      builder.leaf(any_of<5>(random, {"DT", "NN", "-LRB-", ",", "XX"}), random_word(random));
      is_empty = false;
    }
  }
  if (is_empty) {
    builder.leaf("NN", random_word(random));
  }
  while (builder.open_constituents() > 0) {
    builder.close();
  }
  return builder.finish();
}

// (S (S … (NN word) …)) with so many constituents.
inline Tree deep_tree(std::size_t constituents) {
  TreeBuilder builder;
  for (std::size_t i = 0; i < constituents; ++i) {
    builder.open("S");
  }
  builder.leaf("NN", "word");
  for (std::size_t i = 0; i < constituents; ++i) {
    builder.close();
  }
  return builder.finish();
}

}  // namespace yona::testing
