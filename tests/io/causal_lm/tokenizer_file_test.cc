#include "yona/io/causal_lm/tokenizer_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

LmTokenizerFile file_of(const TempDir& folder, const char* json) {
  write_bytes(folder / "tokenizer.json", json);
  return LmTokenizerFile(folder / "tokenizer.json");
}

TEST(LmTokenizerFile, GathersPiecesAndAddedTokens) {
  const TempDir folder;
  const LmTokenizerFile file = file_of(folder, R"({"model": {"type": "BPE",
    "vocab": {"a": 0, "b": 1, "ab": 3}, "merges": ["a b", ["b", "a"]]},
    "added_tokens": [{"id": 5, "content": "<x>", "special": true, "lstrip": true}]})");
  EXPECT_EQ(file.pieces(), (std::vector<std::string>{"a", "b", "", "ab", "", "<x>"}));
  EXPECT_EQ(file.merges(), (std::vector<BpeMerges::Pair>{{"a", "b"}, {"b", "a"}}));
  ASSERT_EQ(file.added().size(), 1U);
  EXPECT_TRUE(file.added()[0].strips_left);
  EXPECT_FALSE(file.added()[0].strips_right);
}

TEST(LmTokenizerFile, NamesWhatIsWrong) {
  const TempDir folder;
  const auto message = [&](const char* json) {
    return message_of<FormatError>([&] {
      const LmTokenizerFile file = file_of(folder, json);
      file.pieces();
      file.merges();
    });
  };
  EXPECT_THAT(message("{}"), ::testing::HasSubstr("it has no \"model\""));
  EXPECT_THAT(message(R"({"model": {}})"), ::testing::HasSubstr("the model has no \"vocab\""));
  EXPECT_THAT(message(R"({"model": {"vocab": {"a": -1}}})"),
              ::testing::HasSubstr("the id of 'a' is -1"));
  EXPECT_THAT(message(R"({"model": {"vocab": {"a": 99999999999}}})"),
              ::testing::HasSubstr("the id 99999999999 of 'a' is too large"));
  EXPECT_THAT(message(R"({"model": {"vocab": {"a": 0}, "merges": [3]}})"),
              ::testing::HasSubstr("a merge cannot be 3"));
  EXPECT_THAT(message(R"({"model": {"vocab": {"a": 0}, "merges": [""]}})"),
              ::testing::HasSubstr("a merge cannot be \"\""));
  EXPECT_THAT(message(R"({"model": {"vocab": {"a": 0}}, "added_tokens": [{"id": 1}]})"),
              ::testing::HasSubstr("an added token without content and id"));
}

}  // namespace
}  // namespace yona::testing
