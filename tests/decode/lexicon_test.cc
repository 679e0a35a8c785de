#include "yona/decode/lexicon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LexiconTest : public ::testing::Test {
 protected:
  LexiconLines read(const std::string& text) {
    write_bytes(folder_ / "lex.s2t", text);
    return read_lexicon(folder_ / "lex.s2t", vocabulary_, vocabulary_, counts_);
  }

  TempDir folder_;
  const Vocabulary vocabulary_{{"</s>", "<unk>", "▁house", "▁Haus", "▁Heim", "<pad>"}};
  ShortlistCounts counts_{6, 6};
};

TEST_F(LexiconTest, HasATargetASourceAndAProbabilityALine) {
  const LexiconLines lines =
      read("▁Haus ▁house 0.7\n▁Heim\t▁house\t2.5e-1\r\n▁Haus NULL 0.1\nzu ▁house 0.05\n");
  EXPECT_EQ(lines.read, 4U);
  EXPECT_EQ(lines.unknown, 2U);
  EXPECT_THAT(counts_.best({.per_piece = 2, .frequent = 0}, {}, false).candidates({2}),
              ElementsAre(3, 4));
  EXPECT_THAT(counts_.best({.per_piece = 1, .frequent = 0}, {}, false).candidates({2}),
              ElementsAre(3));
  EXPECT_THAT(counts_.best({.per_piece = 0, .frequent = 1}, {}, false).candidates({}),
              ElementsAre(3));
}

TEST_F(LexiconTest, MayBeEmpty) { EXPECT_EQ(read("").read, 0U); }

TEST_F(LexiconTest, NamesTheLineThatIsNone) {
  for (const char* line : {"", "▁Haus ▁house", "▁Haus ▁house x", "▁Haus ▁house 0.5 0.5",
                           "▁Haus ▁house 1.5", "▁Haus ▁house -0.5", "▁Haus ▁house nan"}) {
    EXPECT_THAT(
        message_of<FormatError>([&] { read(std::string("▁Haus ▁house 1\n") + line + "\n"); }),
        HasSubstr("lex.s2t:2: expected a target piece, a source piece and a probability"))
        << line;
  }
  EXPECT_THROW(read_lexicon(folder_ / "none", vocabulary_, vocabulary_, counts_), IoError);
}

}  // namespace
}  // namespace yona::testing
