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

TEST(Charsmap, NamesADamagedMap) {
  EXPECT_THAT(testing::message_of<FormatError>([] { Charsmap("abc", "t.json"); }),
              ::testing::HasSubstr("t.json: precompiled_charsmap"));
}

}  // namespace
}  // namespace yona
