// Sub-words from corpora: shared, separate, with the corpora's tags.

#include "yona/data/corpus_subwords.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/data/sample_corpus.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::sample_corpus;
using testing::TempDir;
using testing::write_bytes;

TEST(CorpusSubwords, SharedOnesAreTrainedOnBothSides) {
  const TempDir folder;
  std::vector<CorpusSpec> corpora(2);
  write_bytes(folder / "a.tsv", "aaaa aaaa\tbbbb bbbb\n");
  write_bytes(folder / "b.tsv", "cccc cccc\tdddd dddd\n");
  corpora[0].tsv_files = {folder / "a.tsv"};
  corpora[1].tsv_files = {folder / "b.tsv"};
  corpora[1].name = "b";
  corpora[1].source_tags = {"<BT>"};
  const SubwordPair pair = train_subwords(corpora, {});
  EXPECT_TRUE(pair.has_shared_vocabulary());
  EXPECT_EQ(pair.source.tag("<BT>"), 2);
  for (const char* letter : {"a", "b", "c", "d"}) {
    EXPECT_TRUE(pair.source.vocabulary().find(letter).has_value()) << letter;
  }
}

TEST(CorpusSubwords, SeparateOnesKnowTheirOwnSideOnly) {
  const TempDir folder;
  CorpusSpec corpus;
  write_bytes(folder / "a.tsv", "aaaa aaaa\tbbbb bbbb\n");
  corpus.tsv_files = {folder / "a.tsv"};
  const SubwordPair pair = train_subwords({corpus}, {}, VocabularySharing::separate);
  EXPECT_FALSE(pair.has_shared_vocabulary());
  EXPECT_TRUE(pair.source.vocabulary().find("a").has_value());
  EXPECT_FALSE(pair.source.vocabulary().find("b").has_value());
  EXPECT_TRUE(pair.target.vocabulary().find("b").has_value());
  EXPECT_FALSE(pair.target.vocabulary().find("a").has_value());
}

TEST(CorpusSubwords, ErrorsNameTheCorpusAndTheSide) {
  const TempDir folder;
  CorpusSpec corpus = sample_corpus(folder.path(), "news", 5);
  SubwordTraining options;
  options.size_policy = SubwordTraining::SizePolicy::exact;
  EXPECT_THAT(message_of<InvalidArgument>([&] { train_subwords({corpus}, options); }),
              HasSubstr("a vocabulary of 8000 is too large for corpus news (10 lines); choose "));
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { train_subwords({corpus}, options, VocabularySharing::separate); }),
              HasSubstr("corpus news (source)"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { train_subwords({}, options); }),
              HasSubstr("no corpus is given"));
  corpus.target_files = {folder / "none"};
  EXPECT_THROW(train_subwords({corpus}, options), IoError);
}

TEST(CorpusSubwords, SayWhyNoLineOfACorpusIsUsable) {
  const TempDir folder;
  std::vector<CorpusSpec> corpora(2);
  write_bytes(folder / "good.tsv", "aaaa\tbbbb\n");
  corpora[0].tsv_files = {folder / "good.tsv"};
  corpora[1].name = "b";
  const auto refusal = [&](const std::string& text) {
    write_bytes(folder / "b.tsv", text);
    corpora[1].tsv_files = {folder / "b.tsv"};
    return message_of<FormatError>([&] { train_subwords(corpora, {}); });
  };
  EXPECT_THAT(refusal("Stra\xDF"
                      "e\tstreet\n\xFC"
                      "ber\tover\n"),
              HasSubstr("corpus b: none of its 2 lines is usable: 2 left out, not UTF-8 ("));
  EXPECT_THAT(
      refusal("one column\n"),
      HasSubstr("corpus b: none of its 1 lines is usable: 1 left out, a column is missing"));
}

}  // namespace
}  // namespace yona
