// n-grams of one segment, counted: words or characters as numbers, all orders at once.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace yona {

// Numbers for words, the same for equal words. The texts must outlive this object.
class WordIds {
 public:
  std::vector<std::uint32_t> operator()(const std::vector<std::u32string_view>& words);

 private:
  std::unordered_map<std::u32string_view, std::uint32_t> ids_;
};

// A trie of the references' n-grams, its edges in one hash table: an n-gram is an edge from the
// (n-1)-gram before it, so no n-gram is ever built or compared.
class NgramCounts {
 public:
  explicit NgramCounts(int max_order);

  // What a hypothesis may match is, for each n-gram, the most that any one reference has of it.
  void add_reference(std::span<const std::uint32_t> symbols);

  // n-grams of the hypothesis that are in the references, clipped to their counts: [max_order].
  std::vector<std::int64_t> matches(std::span<const std::uint32_t> symbols) const;

 private:
  struct Edge {
    std::uint64_t key = 0;    // node << 32 | symbol
    std::uint32_t child = 0;  // 0, the root, is never a child: an empty slot
  };

  std::size_t place_of(std::uint64_t key) const;
  std::uint32_t find(std::uint32_t node, std::uint32_t symbol) const;  // 0: there is none
  std::uint32_t find_or_add(std::uint32_t node, std::uint32_t symbol);
  void grow();

  std::size_t max_order_;
  std::vector<std::uint32_t> counts_;  // by node
  std::vector<Edge> edges_;            // a power of two
};

// How many n-grams of this order a text of `length` symbols has.
inline std::int64_t ngram_total(std::size_t length, std::size_t order) {
  return length < order ? 0 : static_cast<std::int64_t>(length - order + 1);
}

}  // namespace yona
