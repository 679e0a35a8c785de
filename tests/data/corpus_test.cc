// Pairs of several files in order, what is passed over and reported, and descriptions refused.

#include "yona/data/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/data/compress.h"
#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TempDir;
using testing::write_bytes;

class CorpusTest : public ::testing::Test {
 protected:
  std::filesystem::path file(std::string_view name, std::string_view content) {
    write_bytes(folder_ / name, content);
    return folder_ / name;
  }
  static std::vector<std::string> read(PairReader& reader) {
    std::vector<std::string> pairs;
    TextPair pair;
    while (reader.next(pair)) {
      pairs.push_back(fmt::format("{}:{}|{}", pair.line, pair.source, pair.target));
    }
    return pairs;
  }

  TempDir folder_;
};

TEST_F(CorpusTest, PairsFilesOneToOneAndNumbersLinesOverAllOfThem) {
  CorpusSpec spec;
  spec.source_files = {file("a.en", "1\n2\n"), file("b.en.gz", testing::gzip("3\n"))};
  spec.target_files = {file("a.de.xz", testing::xz("eins\nzwei")), file("b.de", "drei\n")};
  PairReader reader(spec);
  EXPECT_THAT(read(reader), ElementsAre("0:1|eins", "1:2|zwei", "2:3|drei"));
  EXPECT_EQ(reader.report().lines, 3U);
}

TEST_F(CorpusTest, ReadsTsvWithChosenColumns) {
  CorpusSpec spec;
  spec.tsv_files = {
      file("a.tsv", "x\thallo\thello\t0.5\td1\nshort\ny\tb\ta\t-3\td1\nz\tB\tA\t2\td2")};
  spec.columns = {.source = 3, .target = 2, .weight = 4, .document = 5};
  PairReader reader(spec);
  TextPair pair;
  ASSERT_TRUE(reader.next(pair));
  EXPECT_EQ(pair.source, "hello");
  EXPECT_EQ(pair.weight, 0.5F);
  const std::uint64_t document = pair.document;
  ASSERT_TRUE(reader.next(pair));
  EXPECT_EQ(pair.source, "A");
  EXPECT_EQ(pair.line, 3U);
  EXPECT_NE(pair.document, document);
  EXPECT_FALSE(reader.next(pair));
  EXPECT_EQ(reader.report().malformed.count, 2U);
  EXPECT_THAT(reader.report().malformed.first[0], HasSubstr("a.tsv:2"));
}

TEST_F(CorpusTest, UnequalLineCountsAreAnErrorNamingFilesAndCounts) {
  CorpusSpec spec;
  spec.name = "news";
  spec.source_files = {file("a.en", "1\n2\n3\n4\n")};
  spec.target_files = {file("a.de", "1\n2\n")};
  PairReader reader(spec);
  const std::string message = message_of<FormatError>([&] { read(reader); });
  EXPECT_THAT(message, HasSubstr("corpus news: "));
  EXPECT_THAT(message, HasSubstr("a.en has 4 lines but "));
  EXPECT_THAT(message, HasSubstr("a.de has 2; parallel files need the same number of lines"));
  std::swap(spec.source_files, spec.target_files);
  PairReader swapped(spec);
  EXPECT_THAT(message_of<FormatError>([&] { read(swapped); }), HasSubstr("a.de has 2 lines but "));
}

TEST_F(CorpusTest, ReportsWhatItDroppedAndPassedOver) {
  CorpusSpec spec;
  spec.source_files = {file("a.en", "\xEF\xBB\xBFone\r\n\xFF\nthree\n" +
                                        std::string(LineReader::kLongestLine + 1, 'x') +
                                        "\nfive\n")};
  spec.target_files = {file("a.de", "1\n2\n3\xC3\n4\n5\n")};
  PairReader reader(spec);
  EXPECT_THAT(read(reader), ElementsAre("0:one|1", "4:five|5"));
  CorpusReport report = reader.report();
  report.pairs = 2;
  report.max_length = 256;
  report.empty.add("a.en", 9);
  EXPECT_EQ(report.invalid_utf8.count, 2U);
  EXPECT_EQ(report.too_long.count, 1U);
  const std::string where = (folder_ / "a").string();
  EXPECT_THAT(
      report.summary(),
      ElementsAre("train: 2 sentence pairs from 5 lines",
                  "train: 1 left out, a side is empty (a.en:9)",
                  "train: 1 left out, a side is longer than 256 tokens (" + where + ".en:4)",
                  "train: 2 left out, not UTF-8 (" + where + ".en:2, " + where + ".de:3)",
                  "train: 1 byte-order marks dropped", "train: CR dropped at 1 line ends"));
  EXPECT_EQ(CorpusReport::from_json(report.to_json()).summary(), report.summary());
}

TEST_F(CorpusTest, SaysThatThereAreMorePlacesThanItShows) {
  CorpusReport report;
  report.name = "x";
  for (std::uint64_t line = 1; line <= 7; ++line) {
    report.malformed.add("f", line);
  }
  EXPECT_THAT(report.summary()[1], HasSubstr("7 left out, a column is missing"));
  EXPECT_THAT(report.summary()[1], HasSubstr("(f:1, f:2, f:3, f:4, f:5, …)"));
}

TEST_F(CorpusTest, RefusesDescriptionsThatMakeNoSense) {
  const auto refusal = [](const auto& change) {
    CorpusSpec spec;
    spec.source_files = {"a"};
    spec.target_files = {"b"};
    change(spec);
    return message_of<InvalidArgument>([&] { check_corpus(spec); });
  };
  EXPECT_THAT(refusal([](auto& s) { s.weight = 0; }), HasSubstr("weight 0 must be a positive"));
  EXPECT_THAT(refusal([](auto& s) { s.weight = 0.0 / 0.0; }), HasSubstr("must be a positive"));
  EXPECT_THAT(refusal([](auto& s) { s.tsv_files = {"c"}; }), HasSubstr("not both"));
  EXPECT_THAT(refusal([](auto& s) { s.target_files.clear(); }),
              HasSubstr("1 source files but 0 target files"));
  EXPECT_THAT(refusal([](auto& s) { s = {}; }), HasSubstr("corpus train: no files are given"));
  EXPECT_THAT(refusal([](auto& s) { s.columns.target = 0; }), HasSubstr("columns count from 1"));
  EXPECT_THAT(refusal([](auto& s) { s.source_tags = {"a b"}; }), HasSubstr("tag 'a b'"));
  EXPECT_EQ(refusal([](auto&) {}), "");
}

TEST_F(CorpusTest, MissingFilesAreIoErrors) {
  CorpusSpec spec;
  spec.tsv_files = {folder_ / "none.tsv"};
  EXPECT_THAT(message_of<IoError>([&] { PairReader{spec}; }), HasSubstr("none.tsv: No such file"));
}

}  // namespace
}  // namespace yona
