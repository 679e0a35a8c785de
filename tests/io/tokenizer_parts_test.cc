#include "yona/io/tokenizer_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::yona::testing::message_of;

// What tokenizers 0.23.3 writes again after it has read these numbers.
TEST(TokenizerParts, ReadsNumbersAsTokenizersDoes) {
  EXPECT_EQ(as_tokenizers_reads(-0.43561181362301915), -0.4356118136230191);
  EXPECT_EQ(as_tokenizers_reads(-12.563669634938593), -12.563669634938591);
  EXPECT_EQ(as_tokenizers_reads(-9.634415443986683), -9.634415443986684);
  EXPECT_EQ(as_tokenizers_reads(0.1), 0.1);
  EXPECT_EQ(as_tokenizers_reads(0), 0);
  EXPECT_EQ(as_tokenizers_reads(-3), -3);
  EXPECT_EQ(as_tokenizers_reads(1e22), 1e22);
  EXPECT_EQ(as_tokenizers_reads(5e-324), 5e-324);
}

TEST(TokenizerParts, ReadsWhatBpeDoes) {
  const PieceBpeOptions options = piece_bpe_options(Json::parse(
      R"({"unk_token": null, "fuse_unk": true, "ignore_merges": true, "end_of_word_suffix": null,
          "continuing_subword_prefix": "##"})"));
  EXPECT_TRUE(options.fuses_unknown);
  EXPECT_TRUE(options.drops_unknown);
  EXPECT_TRUE(options.takes_whole_words);
  EXPECT_EQ(options.continuation_mark, "##");
  EXPECT_EQ(options.end_mark, "");
  EXPECT_FALSE(piece_bpe_options(Json::parse(R"({"unk_token": "<unk>"})")).drops_unknown);
}

TEST(TokenizerParts, BytesHaveNoMarks) {
  const Json step{{"type", "ByteLevel"}, {"add_prefix_space", false}};
  EXPECT_FALSE(byte_level_options(step, {{"end_of_word_suffix", ""}}, "file").add_prefix_space);
  EXPECT_THAT(message_of<FormatError>([&] {
                byte_level_options(step, {{"end_of_word_suffix", "</w>"}}, "file");
              }),
              HasSubstr("file: byte-level BPE with end_of_word_suffix is not supported: '</w>'"));
}

TEST(TokenizerParts, ReadsWhatMetaspaceWritesBeforeWords) {
  const auto prefix = [](const char* json) { return word_prefix(Json::parse(json)); };
  EXPECT_EQ(prefix("{}"), WordPrefix::always);
  EXPECT_EQ(prefix(R"({"prepend_scheme": "first"})"), WordPrefix::first);
  EXPECT_EQ(prefix(R"({"prepend_scheme": "never"})"), WordPrefix::never);
  EXPECT_EQ(prefix(R"({"add_prefix_space": false})"), WordPrefix::never);
  EXPECT_EQ(prefix(R"({"add_prefix_space": true})"), WordPrefix::always);
}

}  // namespace
}  // namespace yona
