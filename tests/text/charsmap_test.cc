#include "yona/text/charsmap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/text/subword_training.h"

#include "tests/harness/temp_dir.h"
#include "tests/text/sample_text.h"

namespace yona {
namespace {

// The map of SentencePiece's own rule, from a model trained with it.
std::string nfkc_map() {
  SubwordTraining options;
  options.vocabulary_size = 420;
  options.normalization = "nmt_nfkc";
  const std::string model =
      train_subword(testing::lines_of(testing::sample_sentences(100)), options, "sample");
  return parse_spm(model, "sample").normalizer.precompiled_charsmap;
}

TEST(Charsmap, RewritesCharactersAndNothingElse) {
  const Charsmap map(nfkc_map(), "test");
  EXPECT_EQ(map("ﬁne Ｆｕｌｌ  ａ"), "fine Full  a");
  EXPECT_EQ(map("tab\there"), "tab here");
  EXPECT_EQ(map(" é 日本 "), " é 日本 ");
  EXPECT_EQ(map(""), "");
}

// What tokenizers 0.23.3 makes of these texts: a rule for the beginning of a short character with
// its marks stands for all of it. SentencePiece keeps the marks, and writes two spaces for a line
// break.
TEST(Charsmap, TreatsAShortCharacterWithItsMarksAsOne) {
  const Charsmap map(nfkc_map(), "test");
  EXPECT_EQ(map("e\u0301"), "é");
  EXPECT_EQ(map("\u01C8\u0747x"), "Ljx");        // 2 + 2 bytes
  EXPECT_EQ(map("\uFB01\u0301x"), "fix");        // 3 + 2 bytes
  EXPECT_EQ(map("\uFB01\u20E3x"), "fi\u20E3x");  // 3 + 3: each on its own
  EXPECT_EQ(map("e\u0301\u0323x"), "éx");        // the rule for two of the three
  EXPECT_EQ(map("a\r\nb"), "a b");
  EXPECT_EQ(map("a\xFF"), "a ");  // as U+FFFD
}

TEST(Charsmap, NamesADamagedMap) {
  EXPECT_THAT(testing::message_of<FormatError>([] { Charsmap("abc", "t.json"); }),
              ::testing::HasSubstr("t.json: precompiled_charsmap"));
}

}  // namespace
}  // namespace yona
