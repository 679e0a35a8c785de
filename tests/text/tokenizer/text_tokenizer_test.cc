#include "yona/text/tokenizer/text_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;

// Every byte is a token: its number.
class Bytes : public Segmenter {
 public:
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    for (const char byte : text) {
      ids.push_back(static_cast<unsigned char>(byte));
    }
  }
  std::string decode(std::span<const std::int32_t>) const override { return ""; }
};

TextTokenizer tokenizer_of_bytes() {
  TextTokenizer::Parts parts{.segmenter = std::make_shared<const Bytes>(), .bytes = {}};
  for (int byte = 0; byte < 256; ++byte) {
    parts.bytes.emplace_back(1, static_cast<char>(byte));
  }
  for (const char* text : {"<s>", "<s>more", "<m>"}) {
    parts.added.push_back({text, static_cast<std::int32_t>(parts.bytes.size())});
    parts.bytes.emplace_back(text);
  }
  parts.added.back().strips_left = true;
  parts.added.back().special = false;
  parts.before = {256};
  parts.begin = 256;
  return TextTokenizer(parts);
}

TEST(TextTokenizer, TakesAddedTokensAtTheirWord) {
  const TextTokenizer tokenizer = tokenizer_of_bytes();
  EXPECT_THAT(tokenizer.encode("a<s>b<"), ElementsAre('a', 256, 'b', '<'));
  EXPECT_THAT(tokenizer.encode("<s>more<s>mor"), ElementsAre(257, 256, 'm', 'o', 'r'));
  EXPECT_THAT(tokenizer.encode("a  <m> b"), ElementsAre('a', 258, ' ', 'b'));
  EXPECT_THAT(tokenizer.encode_prompt("a"), ElementsAre(256, 'a'));
  EXPECT_TRUE(tokenizer.encode("").empty());
}

TEST(TextTokenizer, DecodesBytesWithoutSpecialTokens) {
  const TextTokenizer tokenizer = tokenizer_of_bytes();
  EXPECT_EQ(tokenizer.decode(std::vector<std::int32_t>{256, 0xC3, 0xA4, 258, 0xC3}), "ä<m>\uFFFD");
  EXPECT_TRUE(tokenizer.is_special(256));
  EXPECT_FALSE(tokenizer.is_special(258));
  EXPECT_FALSE(tokenizer.is_special(-1));
  EXPECT_EQ(message_of<InvalidArgument>([&] { tokenizer.bytes(259); }),
            "tokenizer: id 259 is out of range, there are 259 tokens");
}

}  // namespace
}  // namespace yona::testing
