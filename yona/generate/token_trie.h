// The texts of a vocabulary's tokens, as a tree: tokens that begin alike are looked at once. It is
// made once for a model and shared by its requests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace yona {

class TokenTrie {
 public:
  // A node of the tree in the order of a depth-first walk: its children follow it.
  struct Node {
    std::uint8_t byte = 0;
    std::uint16_t depth = 0;       // 0: the first byte of a token
    std::int32_t after = 0;        // the next node that is not below this one
    std::int32_t first_token = 0;  // its tokens, in tokens()
    std::int32_t token_count = 0;
  };
  static constexpr std::size_t kMostBytes = 1024;  // of a token; longer ones are left out

  // bytes[id] is what the token adds to the text; empty: it adds nothing (special tokens).
  explicit TokenTrie(std::vector<std::string> bytes);

  std::size_t vocabulary_size() const { return bytes_.size(); }
  const std::string& bytes_of(std::int32_t token) const {
    return bytes_[static_cast<std::size_t>(token)];
  }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<std::int32_t>& tokens() const { return tokens_; }

 private:
  std::vector<std::string> bytes_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> tokens_;
};

}  // namespace yona
