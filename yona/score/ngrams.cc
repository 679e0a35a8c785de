#include "yona/score/ngrams.h"

#include <algorithm>
#include <utility>

namespace yona {

std::vector<std::uint32_t> WordIds::operator()(const std::vector<std::u32string_view>& words) {
  std::vector<std::uint32_t> ids;
  ids.reserve(words.size());
  for (const std::u32string_view word : words) {
    ids.push_back(ids_.try_emplace(word, static_cast<std::uint32_t>(ids_.size())).first->second);
  }
  return ids;
}

NgramCounts::NgramCounts(int max_order)
    : max_order_(static_cast<std::size_t>(max_order)), counts_(1), edges_(64) {}

// Where the edge is, or the empty place where it belongs.
std::size_t NgramCounts::place_of(std::uint64_t key) const {
  const std::size_t mask = edges_.size() - 1;
  std::size_t place = (key * 0x9E3779B97F4A7C15U >> 32U) & mask;
  while (edges_[place].child != 0 && edges_[place].key != key) {
    place = (place + 1) & mask;
  }
  return place;
}

std::uint32_t NgramCounts::find(std::uint32_t node, std::uint32_t symbol) const {
  return edges_[place_of(std::uint64_t{node} << 32U | symbol)].child;
}

std::uint32_t NgramCounts::find_or_add(std::uint32_t node, std::uint32_t symbol) {
  if (counts_.size() * 2 > edges_.size()) {
    grow();
  }
  const std::uint64_t key = std::uint64_t{node} << 32U | symbol;
  Edge& edge = edges_[place_of(key)];
  if (edge.child == 0) {
    edge = {key, static_cast<std::uint32_t>(counts_.size())};
    counts_.push_back(0);
  }
  return edge.child;
}

void NgramCounts::grow() {
  const std::vector<Edge> old = std::exchange(edges_, std::vector<Edge>(edges_.size() * 4));
  for (const Edge& edge : old) {
    if (edge.child != 0) {
      edges_[place_of(edge.key)] = edge;
    }
  }
}

void NgramCounts::add_reference(std::span<const std::uint32_t> symbols) {
  std::vector<std::uint32_t> before = std::exchange(counts_, std::vector<std::uint32_t>());
  counts_.resize(before.size());
  for (std::size_t begin = 0; begin < symbols.size(); ++begin) {
    const std::size_t end = std::min(begin + max_order_, symbols.size());
    std::uint32_t node = 0;
    for (std::size_t i = begin; i < end; ++i) {
      node = find_or_add(node, symbols[i]);
      ++counts_[node];
    }
  }
  for (std::size_t node = 0; node < before.size(); ++node) {
    counts_[node] = std::max(counts_[node], before[node]);
  }
}

std::vector<std::int64_t> NgramCounts::matches(std::span<const std::uint32_t> symbols) const {
  std::vector<std::int64_t> matched(max_order_);
  std::vector<std::uint32_t> left = counts_;
  for (std::size_t begin = 0; begin < symbols.size(); ++begin) {
    const std::size_t longest = std::min(max_order_, symbols.size() - begin);
    std::uint32_t node = 0;
    for (std::size_t n = 0; n < longest; ++n) {
      node = find(node, symbols[begin + n]);
      if (node == 0) {
        break;  // longer n-grams from here are unknown too
      }
      if (left[node] > 0) {
        --left[node];
        ++matched[n];
      }
    }
  }
  return matched;
}

}  // namespace yona
