#include "yona/score/bleu_tokenizer.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/score/unicode.h"

#include "tests/harness/temp_dir.h"
#include "tests/score/fixture.h"

namespace yona::testing {
namespace {

std::string single_spaced(std::u32string_view text) {
  std::string joined;
  for (const std::u32string_view word : split(text)) {
    joined += joined.empty() ? "" : " ";
    joined += to_utf8(word);
  }
  return joined;
}

TEST(BleuTokenizer, CutsAsSacreBleuDoes) {
  const Json fixture = score_fixture("tokenizers");
  for (const std::string& name : bleu_tokenizer_names()) {
    for (std::size_t i = 0; i < fixture["lines"].size(); ++i) {
      const std::u32string line = to_code_points(fixture["lines"][i].get<std::string>());
      EXPECT_EQ(single_spaced(tokenize(bleu_tokenizer(name), strip_right(line))),
                fixture["bleu"][name][i].get<std::string>())
          << name << ": " << fixture["lines"][i];
    }
  }
}

TEST(BleuTokenizer, IsNamedAsInSignatures) {
  EXPECT_EQ(name_of(BleuTokenizer::v13a), "13a");
  EXPECT_EQ(bleu_tokenizer("char"), BleuTokenizer::character);
}

TEST(BleuTokenizer, SaysWhichOnesThereAre) {
  EXPECT_EQ(message_of<InvalidArgument>([] { bleu_tokenizer("spm"); }),
            "'spm' is not a tokeniser of BLEU here; there are 13a, intl, zh, char, none");
  EXPECT_EQ(message_of<InvalidArgument>([] { bleu_tokenizer("ja-mecab"); }),
            "'ja-mecab' is not a tokeniser of BLEU here; there are 13a, intl, zh, char, none: char "
            "suits Japanese and Korean, or tokenise beforehand and take none");
}

}  // namespace
}  // namespace yona::testing
