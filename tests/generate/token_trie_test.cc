#include "yona/generate/token_trie.h"

#include <map>

#include <gtest/gtest.h>

namespace yona {
namespace {

// Walks the tree; the tokens of each text.
std::map<std::string, std::vector<std::int32_t>> texts_of(const TokenTrie& trie) {
  std::map<std::string, std::vector<std::int32_t>> texts;
  std::string text;
  for (const TokenTrie::Node& node : trie.nodes()) {
    text.resize(node.depth);
    text.push_back(static_cast<char>(node.byte));
    for (std::int32_t k = 0; k < node.token_count; ++k) {
      texts[text].push_back(trie.tokens()[static_cast<std::size_t>(node.first_token + k)]);
    }
  }
  return texts;
}

TEST(TokenTrie, HasEveryTextWithItsTokens) {
  const TokenTrie trie({"", "a", "abc", "ab", "b", "a", "\xff", "abd"});
  const std::map<std::string, std::vector<std::int32_t>> expected{
      {"a", {1, 5}}, {"ab", {3}}, {"abc", {2}}, {"abd", {7}}, {"b", {4}}, {"\xff", {6}}};
  EXPECT_EQ(texts_of(trie), expected);
}

TEST(TokenTrie, SkippingANodeSkipsWhatIsBelowIt) {
  const TokenTrie trie({"abc", "abd", "b", "bx"});
  std::string first_bytes;
  for (std::size_t i = 0; i < trie.nodes().size();
       i = static_cast<std::size_t>(trie.nodes()[i].after)) {
    first_bytes.push_back(static_cast<char>(trie.nodes()[i].byte));
  }
  EXPECT_EQ(first_bytes, "ab");
}

TEST(TokenTrie, EmptyAndVeryLongTextsAreLeftOut) {
  EXPECT_TRUE(TokenTrie({"", ""}).nodes().empty());
  EXPECT_TRUE(TokenTrie({std::string(TokenTrie::kMostBytes + 1, 'x')}).nodes().empty());
  EXPECT_TRUE(TokenTrie({}).nodes().empty());
}

}  // namespace
}  // namespace yona
