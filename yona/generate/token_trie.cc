#include "yona/generate/token_trie.h"

#include <algorithm>
#include <numeric>

namespace yona {

namespace {

std::size_t common_prefix(const std::string& a, const std::string& b) {
  const std::size_t most = std::min(a.size(), b.size());
  return static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most), b.begin()).first -
      a.begin());
}

}  // namespace

TokenTrie::TokenTrie(std::vector<std::string> bytes) : bytes_(std::move(bytes)) {
  for (std::size_t id = 0; id < bytes_.size(); ++id) {
    if (!bytes_[id].empty() && bytes_[id].size() <= kMostBytes) {
      tokens_.push_back(static_cast<std::int32_t>(id));
    }
  }
  std::stable_sort(tokens_.begin(), tokens_.end(),
                   [&](std::int32_t a, std::int32_t b) { return bytes_of(a) < bytes_of(b); });
  std::vector<std::size_t> path;  // the nodes from the root to the last token
  const auto close_to = [&](std::size_t depth) {
    while (path.size() > depth) {
      nodes_[path.back()].after = static_cast<std::int32_t>(nodes_.size());
      path.pop_back();
    }
  };
  const std::string none;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const std::string& text = bytes_of(tokens_[i]);
    close_to(common_prefix(text, i == 0 ? none : bytes_of(tokens_[i - 1])));
    while (path.size() < text.size()) {
      nodes_.push_back({.byte = static_cast<std::uint8_t>(text[path.size()]),
                        .depth = static_cast<std::uint16_t>(path.size()),
                        .first_token = static_cast<std::int32_t>(i)});
      path.push_back(nodes_.size() - 1);
    }
    ++nodes_[path.back()].token_count;  // equal texts are next to each other
  }
  close_to(0);
}

}  // namespace yona
