// Training: the layout of ids, equal bytes for equal input, bounded samples, and clear refusals.

#include "yona/text/subword_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/text/subword.h"

#include "tests/harness/temp_dir.h"
#include "tests/text/sample_text.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using testing::lines_of;
using testing::message_of;
using testing::sample_sentences;

std::string refusal(const SubwordTraining& options, const std::vector<std::string>& lines) {
  return message_of<InvalidArgument>([&] { train_subword(lines_of(lines), options, "corpus x"); });
}

class SubwordTrainingTest : public ::testing::TestWithParam<SubwordAlgorithm> {
 protected:
  void SetUp() override {
    options_.algorithm = GetParam();
    options_.vocabulary_size = 390;
  }
  std::string train(const std::vector<std::string>& lines) {
    return train_subword(lines_of(lines), options_, "corpus x");
  }
  SubwordTraining options_;
};

TEST_P(SubwordTrainingTest, LaysOutIdsAsOpusMtHasThem) {
  options_.tags = {"<BT>", ">>de<<", "<BT>"};
  const Subword subword(train(sample_sentences(400)));
  const Vocabulary& vocabulary = subword.vocabulary();
  EXPECT_EQ(vocabulary.size(), 390);
  EXPECT_EQ(vocabulary.piece(0), "</s>");
  EXPECT_EQ(vocabulary.piece(1), "<unk>");
  EXPECT_EQ(vocabulary.piece(2), "<BT>");
  EXPECT_EQ(vocabulary.piece(3), ">>de<<");
  EXPECT_EQ(vocabulary.piece(4), reserved_piece(2));
  EXPECT_EQ(vocabulary.piece(65), reserved_piece(63));
  EXPECT_EQ(vocabulary.piece(66), "<0x00>");
  EXPECT_EQ(vocabulary.piece(389), "<pad>");
}

TEST_P(SubwordTrainingTest, GivesTheSameBytesForTheSameInput) {
  const std::string model = train(sample_sentences(400));
  EXPECT_EQ(train(sample_sentences(400)), model);
  EXPECT_NE(train(sample_sentences(400, 6)), model);
}

TEST_P(SubwordTrainingTest, ASmallCorpusGetsASmallerVocabularyUnlessTheSizeIsExact) {
  options_.vocabulary_size = 8000;
  const Subword subword(train({"ab ab", "abc"}));
  EXPECT_LT(subword.vocabulary().size(), 400);
  EXPECT_EQ(subword.vocabulary().piece(subword.vocabulary().size() - 1), "<pad>");
  options_.size_policy = SubwordTraining::SizePolicy::exact;
  const std::string message = refusal(options_, {"ab ab", "abc"});
  EXPECT_EQ(message,
            "sub-words: a vocabulary of 8000 is too large for corpus x (2 lines); choose " +
                std::to_string(subword.vocabulary().size()) + " or less");
  options_.vocabulary_size = subword.vocabulary().size();
  EXPECT_EQ(Subword(train({"ab ab", "abc"})).vocabulary().size(), options_.vocabulary_size);
}

TEST_P(SubwordTrainingTest, OneLetterIsEnough) {
  const Subword subword(train({"a"}));
  std::vector<std::int32_t> ids;
  subword.encode("a", ids);
  EXPECT_EQ(subword.decode(ids), "a");
}

TEST_P(SubwordTrainingTest, PassesOverLinesThatAreNoText) {
  std::vector<std::string> lines = sample_sentences(400);
  const std::string model = train(lines);
  lines.insert(lines.begin() + 7, {"", " \t ", "caf\xE9", std::string("a\0b", 3),
                                   std::string(5000, 'z'), "rare ▅ mark"});
  EXPECT_EQ(train(lines), model);
}

TEST_P(SubwordTrainingTest, SaysWhenThereIsNothingToTrainOn) {
  EXPECT_EQ(refusal(options_, {}), "sub-words: corpus x has no usable line of text to train on");
  EXPECT_EQ(refusal(options_, {"", "\xFF"}),
            "sub-words: corpus x has no usable line of text to train on");
}

TEST_P(SubwordTrainingTest, NamesASizeThatWorksWhenTheAskedOneIsTooSmall) {
  options_.vocabulary_size = 100;
  EXPECT_THAT(refusal(options_, sample_sentences(10)),
              HasSubstr("a vocabulary of 100 for corpus x is too small: 323 pieces are special"));
  options_.vocabulary_size = 330;
  const std::string message = refusal(options_, sample_sentences(100));
  EXPECT_THAT(message, HasSubstr("is too small for its characters; choose "));
  options_.vocabulary_size = std::stoi(message.substr(message.find("choose ") + 7));
  EXPECT_EQ(Subword(train(sample_sentences(100))).vocabulary().size(), options_.vocabulary_size);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, SubwordTrainingTest,
                         ::testing::Values(SubwordAlgorithm::bpe, SubwordAlgorithm::unigram),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST(SubwordTraining, TakesASeededSampleOfALongInput) {
  SubwordTraining options;
  options.vocabulary_size = 400;
  options.max_lines = 100;
  const auto train = [&] {
    return train_subword(lines_of(sample_sentences(2000)), options, "corpus x");
  };
  const std::string model = train();
  EXPECT_EQ(train(), model);
  options.seed = 2;
  EXPECT_NE(train(), model);
}

TEST(SubwordTraining, NormalisesOnlyWhenAsked) {
  SubwordTraining options;
  options.vocabulary_size = 400;
  options.normalization = "nmt_nfkc";
  const Subword subword(train_subword(lines_of(sample_sentences(200)), options, "corpus x"));
  std::vector<std::int32_t> ids;
  subword.encode("ＡＢ", ids);
  EXPECT_EQ(subword.decode(ids), "AB");
}

TEST(SubwordTraining, RefusesOptionsThatMakeNoSense) {
  const auto with = [](const auto& change) {
    SubwordTraining options;
    change(options);
    return refusal(options, {"text"});
  };
  EXPECT_THAT(with([](auto& o) { o.algorithm = SubwordAlgorithm::word; }),
              HasSubstr("cannot train a word model; choose bpe or unigram"));
  EXPECT_THAT(with([](auto& o) { o.normalization = "NFC"; }),
              HasSubstr("unknown normalization 'NFC'; choose identity, nfkc"));
  EXPECT_THAT(with([](auto& o) { o.character_coverage = 0.5; }), HasSubstr("0.5 is out of range"));
  EXPECT_THAT(with([](auto& o) { o.max_lines = 0; }), HasSubstr("max_lines is 0"));
  EXPECT_THAT(with([](auto& o) { o.reserved = -1; }), HasSubstr("-1 reserved pieces"));
  EXPECT_THAT(with([](auto& o) { o.tags = {"a b"}; }), HasSubstr("tag 'a b' cannot be a piece"));
}

}  // namespace
}  // namespace yona
