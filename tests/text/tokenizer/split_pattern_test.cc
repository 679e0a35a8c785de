#include "yona/text/tokenizer/split_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/text/byte_level_bpe.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;

TEST(SplitPattern, CutsAsGpt2sOwnCode) {
  const SplitPattern pattern(
      "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+", "test");
  for (const char* text :
       {"it's a  test\n\n of 12 words", "x\v\u0085y\u3000z", "", "日本語 1２３", " \t "}) {
    EXPECT_EQ(pattern.words(text), split_words(text)) << text;
  }
}

TEST(SplitPattern, KeepsWhatDoesNotMatch) {
  const SplitPattern pattern("b+", "test");
  EXPECT_THAT(pattern.words("abbcäb"), ElementsAre("a", "bb", "cä", "b"));
}

TEST(SplitPattern, RefusesWhatIsNotAPattern) {
  EXPECT_EQ(message_of<FormatError>([] { const SplitPattern pattern("[", "tokenizer.json"); }),
            "tokenizer.json: the pattern [ cannot be read: U_REGEX_MISSING_CLOSE_BRACKET");
}

}  // namespace
}  // namespace yona::testing
