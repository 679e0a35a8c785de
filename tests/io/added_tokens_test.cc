#include "yona/io/added_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/json_file.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::yona::testing::message_of;
using ::yona::testing::TempDir;

TEST(AddedTokens, AreReadWithTheirNumbersFromBothFiles) {
  const TempDir folder;
  EXPECT_THAT(numbered_tokens(folder.path()), IsEmpty());
  write_json(folder / "tokenizer_config.json",
             {{"added_tokens_decoder", {{"7", {{"content", "<a>"}, {"special", false}}}}}});
  write_json(folder / "added_tokens.json",
             {{"<a>", 7}, {"<b>", 8}, {"<c>", 4294967305}, {"<d>", -1}, {"<e>", "9"}});
  const std::vector<AddedToken> tokens = numbered_tokens(folder.path());
  ASSERT_THAT(tokens, SizeIs(2));
  EXPECT_EQ(tokens[0].text, "<a>");
  EXPECT_EQ(tokens[0].id, 7);
  EXPECT_FALSE(tokens[0].special);
  EXPECT_EQ(tokens[1].text, "<b>");
  EXPECT_EQ(tokens[1].id, 8);
  write_json(folder / "tokenizer_config.json", {{"added_tokens_decoder", {{"x", "<tag>"}}}});
  EXPECT_THAT(message_of<FormatError>([&] { numbered_tokens(folder.path()); }),
              HasSubstr("tokenizer_config.json: added_tokens_decoder: 'x' is not an id"));
}

TEST(AddedTokens, ThatEveryVocabularyHasSayNothing) {
  EXPECT_THAT(beyond_core({{"<s>", 0}, {"</s>", 2}, {"<mask>", 9}}), IsEmpty());
  EXPECT_THAT(beyond_core({{"<s>", 0}, {"de_DE", 9}}), SizeIs(2));
}

TEST(AddedTokens, WithNamesAloneKeepTheirOrderAndSayWhoWroteThem) {
  const TempDir folder;
  EXPECT_THAT(additional_tokens(folder.path()).names, IsEmpty());
  write_json(folder / "special_tokens_map.json",
             {{"additional_special_tokens", {"b", {{"content", "a"}}, "</s>", 3}}});
  EXPECT_THAT(additional_tokens(folder.path()).names, ElementsAre("b", "a"));
  EXPECT_FALSE(additional_tokens(folder.path()).by_transformers_5);
  write_json(folder / "tokenizer_config.json",
             {{"additional_special_tokens", nullptr}, {"extra_special_tokens", {"<s>", "c"}}});
  EXPECT_THAT(additional_tokens(folder.path()).names, ElementsAre("c"));
  EXPECT_TRUE(additional_tokens(folder.path()).by_transformers_5);
}

}  // namespace
}  // namespace yona
