#include "yona/data/labelled_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/text/word_piece.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TempDir;

class LabelledTexts : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& content) {
    testing::write_bytes(folder_ / "f.tsv", content);
    return folder_.path() / "f.tsv";
  }
  std::string refusal(const std::string& content) {
    const std::filesystem::path path = file(content);
    return message_of<FormatError>([&] { read_labelled_texts(path); });
  }

  static EncoderTokenizer tokenizer() {
    const std::vector<std::string> pieces{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b"};
    SpecialTokens special;
    special.begin = 2;
    special.end = 3;
    special.mask = 4;
    special.unknown = 1;
    return {std::make_shared<const WordPiece>(pieces, BertNormalisation{}, "[UNK]", "v"),
            std::make_shared<const std::vector<std::string>>(pieces), special};
  }

  TempDir folder_;
};

TEST_F(LabelledTexts, AreReadByTheNamesOfTheirColumns) {
  const LabelledFile read =
      read_labelled_texts(file("id\tsentence\tlabel\tsecond\n7\ta\tyes\tb\n"));
  ASSERT_EQ(read.texts.size(), 1U);
  EXPECT_EQ(read.texts[0].label, "yes");
  EXPECT_EQ(read.texts[0].first, "a");
  EXPECT_EQ(read.texts[0].second, "b");
}

TEST_F(LabelledTexts, BadFilesAreNamedWithTheLine) {
  EXPECT_THAT(refusal(""), HasSubstr("is empty"));
  EXPECT_THAT(refusal("x\ty\n"), HasSubstr("f.tsv:1: the columns are 'x', 'y'"));
  EXPECT_THAT(refusal("label\tsentence\n1\n"),
              HasSubstr("f.tsv:2: 1 columns, but the header names 2"));
  EXPECT_THAT(refusal("label\tsentence\n\ta\n"), HasSubstr("f.tsv:2: the label is empty"));
  EXPECT_THAT(refusal("label\tsentence\n"), HasSubstr("has no texts after its header"));
}

TEST_F(LabelledTexts, WholeNumbersAreClassesInTheirOrder) {
  const auto texts = {read_labelled_texts(file("label\tsentence\n10\ta\n9\tb\n"))};
  const LabelSet labels = LabelSet::of(texts, LabelSet::Kind::detect);
  EXPECT_THAT(labels.names(), ElementsAre("9", "10"));
  EXPECT_THAT(message_of<FormatError>([&] {
                labels.id({"3", "", {}, 5}, "v.tsv");
              }),
              HasSubstr("v.tsv:5: the label '3' is unknown; those of the training data are 9, 10"));
}

TEST_F(LabelledTexts, NumbersThatAreNotWholeAreARegression) {
  const auto texts = {read_labelled_texts(file("label\tsentence\n1.5\ta\n2\tb\n"))};
  EXPECT_TRUE(LabelSet::of(texts, LabelSet::Kind::detect).is_regression());
  EXPECT_FALSE(LabelSet::of(texts, LabelSet::Kind::classes).is_regression());
  const auto words = {read_labelled_texts(file("label\tsentence\nyes\ta\nno\tb\n"))};
  EXPECT_THAT(message_of<FormatError>([&] { LabelSet::of(words, LabelSet::Kind::numbers); }),
              HasSubstr(":2: the label 'yes' is not a number"));
  const auto one = {read_labelled_texts(file("label\tsentence\nyes\ta\n"))};
  EXPECT_THAT(message_of<FormatError>([&] { LabelSet::of(one, LabelSet::Kind::detect); }),
              HasSubstr("every label is 'yes'"));
}

TEST_F(LabelledTexts, ExamplesHideTokensByEpochAndExample) {
  std::string lines = "label\tsentence\n";
  for (int i = 0; i < 50; ++i) {
    lines += i % 2 == 0 ? "x\ta b a b a b a b\n" : "y\tb a\n";
  }
  const std::vector<LabelledFile> files{read_labelled_texts(file(lines))};
  const LabelledExamples examples(files, LabelSet::of(files, LabelSet::Kind::detect), tokenizer(),
                                  {.max_length = 8, .hidden = 0.5});
  EXPECT_EQ(examples.cut_texts(), 25);
  EXPECT_EQ(examples.lengths(0)[kText], 8);
  const std::vector<std::uint32_t> both{0, 1};
  Batch first;
  Batch again;
  Batch later;
  examples.fill(both, 100, {.seed = 1, .epoch = 0}, first);
  examples.fill(both, 100, {.seed = 1, .epoch = 0}, again);
  examples.fill(both, 100, {.seed = 1, .epoch = 1}, later);
  EXPECT_EQ(first.sides[kText].ids, again.sides[kText].ids);
  EXPECT_NE(first.sides[kText].ids, later.sides[kText].ids);
  EXPECT_THAT(first.sides[kLabel].ids, ElementsAre(0, 1));
  EXPECT_EQ(first.sides[kText].ids.front(), 2);
  EXPECT_THAT(first.sides[kText].ids, ::testing::Contains(4));
}

}  // namespace
}  // namespace yona
