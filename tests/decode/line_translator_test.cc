#include "yona/decode/line_translator.h"

#include <gmock/gmock.h>

#include "yona/base/error.h"

#include "tests/harness/small_model.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class LineTranslatorTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    small_ = std::make_unique<SmallModel>();
    backend_ = make_backend("cpu");
    model_ = TranslationModel::load(small_->path(), *backend_);
  }
  static void TearDownTestSuite() {
    model_.reset();
    backend_.reset();
    small_.reset();
  }

  static Translator translator(const DecodeOptions& options = {}) {
    return Translator({model_.get()}, *backend_, options);
  }

  inline static std::unique_ptr<SmallModel> small_;
  inline static std::unique_ptr<Backend> backend_;
  inline static std::unique_ptr<TranslationModel> model_;
};

TEST_F(LineTranslatorTest, TranslatesWhatFitsAsTheTranslatorDoes) {
  Translator plain = translator();
  LineTranslator lines(plain, {});
  std::vector<SourceLine> sources;
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < 20; ++i) {
    texts.push_back(small_->lines()[i]);
    sources.push_back({.text = texts.back(), .number = i + 1});
  }
  const auto found = lines.translate(sources);
  const std::vector<std::string> expected = plain.translate(texts);
  ASSERT_EQ(found.size(), 20U);
  for (std::size_t i = 0; i < 20; ++i) {
    ASSERT_THAT(found[i], SizeIs(1));
    EXPECT_EQ(found[i][0].text, expected[i]);
    EXPECT_EQ(found[i][0].score, found[i][0].parts[0].hypothesis.score);
  }
  EXPECT_EQ(lines.lines_split(), 0U);
}

TEST_F(LineTranslatorTest, JoinsTheSentencesOfALongLine) {
  Translator plain = translator();
  LineTranslator lines(plain, {.source_language = "en", .target_language = "de"});
  std::string paragraph;
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < 12; ++i) {
    sentences.push_back("It is " + small_->lines()[i] + ".");
    paragraph += (i == 0 ? "" : " ") + sentences.back();
  }
  const auto found = lines.translate(std::vector<SourceLine>{{.text = paragraph, .number = 1}});
  std::string expected;
  for (const std::string& text : plain.translate(sentences)) {
    expected += (expected.empty() ? "" : " ") + text;
  }
  EXPECT_EQ(found[0][0].text, expected);
  EXPECT_THAT(found[0][0].parts, SizeIs(12));
  EXPECT_EQ(lines.lines_split(), 1U);
  EXPECT_EQ(lines.sentences_cut(), 0U);
}

TEST_F(LineTranslatorTest, CutsASentenceThatIsTooLongAndCountsIt) {
  Translator plain = translator();
  LineTranslator lines(plain, {});
  const auto found =
      lines.translate(std::vector<SourceLine>{{.text = std::string(500, 'x'), .number = 1}});
  EXPECT_GT(found[0][0].parts.size(), 1U);
  EXPECT_EQ(lines.sentences_cut(), 1U);
}

TEST_F(LineTranslatorTest, RefusesALongLineWhenAsked) {
  Translator plain = translator();
  LineTranslator lines(plain, {.long_lines = LongLines::refuse});
  const std::string message = message_of<InvalidArgument>([&] {
    lines.translate(std::vector<SourceLine>{{.text = std::string(500, 'x'), .number = 17}});
  });
  EXPECT_THAT(message, HasSubstr("line 17 has "));
  EXPECT_THAT(message, HasSubstr("tokens, the model takes at most 40"));
}

TEST_F(LineTranslatorTest, KeepsBlankLinesAndOrder) {
  Translator plain = translator();
  LineTranslator lines(plain, {});
  const auto found =
      lines.translate(std::vector<SourceLine>{{.text = "", .number = 1},
                                              {.text = small_->lines()[0], .number = 2},
                                              {.text = "   ", .number = 3}});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0][0].text, "");
  EXPECT_NE(found[1][0].text, "");
  EXPECT_EQ(found[2][0].text, "");
}

TEST_F(LineTranslatorTest, OfNoLinesGivesNone) {
  Translator plain = translator();
  EXPECT_TRUE(LineTranslator(plain, {}).translate({}).empty());
}

TEST_F(LineTranslatorTest, GivesAsManyAsAskedForBestFirst) {
  Translator plain = translator({.beam = 4, .n_best = 3});
  LineTranslator lines(plain, {});
  const auto found =
      lines.translate(std::vector<SourceLine>{{.text = small_->lines()[3], .number = 1}});
  ASSERT_THAT(found[0], SizeIs(3));
  EXPECT_GE(found[0][0].score, found[0][1].score);
  EXPECT_GE(found[0][1].score, found[0][2].score);
}

TEST_F(LineTranslatorTest, BeginsWithThePrefix) {
  Translator plain = translator();
  LineTranslator lines(plain, {});
  const auto found = lines.translate(
      std::vector<SourceLine>{{.text = small_->lines()[3], .prefix = "dreizehn", .number = 1}});
  EXPECT_TRUE(found[0][0].text.starts_with("dreizehn")) << found[0][0].text;
}

TEST_F(LineTranslatorTest, ScoresGivenTargetsAsTheTranslatorDoes) {
  Translator plain = translator();
  LineTranslator lines(plain, {});
  const std::vector<SourceLine> sources{
      {.text = small_->lines()[3], .target = "dreizehn", .number = 1},
      {.text = small_->lines()[4], .target = "der zweite Mai", .number = 2}};
  const auto scored = lines.score(sources);
  ASSERT_EQ(scored.size(), 2U);
  const std::vector<Hypothesis> expected = plain.score(std::vector<SentencePair>{
      {sources[0].text, sources[0].target}, {sources[1].text, sources[1].target}});
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_THAT(scored[i], SizeIs(1));
    EXPECT_EQ(scored[i][0].text, sources[i].target);
    EXPECT_EQ(scored[i][0].parts[0].source, plain.source_ids(sources[i].text));
    EXPECT_EQ(scored[i][0].score, expected[i].score);
    EXPECT_EQ(scored[i][0].log_probability, expected[i].log_probability);
  }
}

TEST_F(LineTranslatorTest, ScoresBlankSidesAsTheEndAlone) {
  Translator plain = translator();
  const auto scored =
      LineTranslator(plain, {}).score(std::vector<SourceLine>{{.text = "", .number = 1}});
  EXPECT_THAT(scored[0][0].parts[0].hypothesis.ids, SizeIs(1));
  EXPECT_LT(scored[0][0].log_probability, 0);
}

TEST_F(LineTranslatorTest, RefusesToScoreWhatIsTooLong) {
  Translator plain = translator();
  LineTranslator lines(plain, {});
  const std::string much(500, 'x');
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                lines.score(std::vector<SourceLine>{{.text = "a", .target = much, .number = 7}});
              }),
              HasSubstr("line 7: the target has 5"));
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                lines.score(std::vector<SourceLine>{{.text = much, .target = "a", .number = 8}});
              }),
              HasSubstr("line 8: the input has 5"));
}

TEST(SentenceSpaces, AreNotWrittenInChineseAndItsLike) {
  for (const char* language : {"zh", "zh-TW", "zho_Hans", "ja", "th", "jpn_Jpan"}) {
    EXPECT_FALSE(has_sentence_spaces(language)) << language;
  }
  for (const char* language : {"", "en", "de-CH", "zu", "kor_Hang"}) {
    EXPECT_TRUE(has_sentence_spaces(language)) << language;
  }
}

}  // namespace
}  // namespace yona::testing
