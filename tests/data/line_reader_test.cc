// Where lines end, what is dropped, what is counted; and a large file in bounded memory.

#include "yona/data/line_reader.h"

#include <cstdio>
#include <fstream>
#include <sys/resource.h>

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

LineReader reader_of(std::string_view content) { return LineReader(open_bytes(content, "f"), "f"); }

std::vector<std::string> lines_of(LineReader& reader) {
  std::vector<std::string> lines;
  LineReader::Line line;
  while (reader.next(line)) {
    lines.emplace_back(line.text);
  }
  return lines;
}

std::vector<std::string> lines_of(std::string_view content) {
  LineReader reader = reader_of(content);
  return lines_of(reader);
}

TEST(LineReader, LinesEndAtLineFeedAlone) {
  EXPECT_THAT(lines_of("a\nb\n"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of("a\u2028b\u0085c\u2029\vd\fe\n"),
              ElementsAre("a\u2028b\u0085c\u2029\vd\fe"));
  EXPECT_THAT(lines_of("a\rb\nc"), ElementsAre("a\rb", "c"));
  EXPECT_THAT(lines_of(std::string_view("a\0b\nc\n", 6)), ElementsAre(std::string("a\0b", 3), "c"));
}

TEST(LineReader, AFinalLineWithoutLineFeedCounts) {
  EXPECT_TRUE(lines_of("").empty());
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
  EXPECT_THAT(lines_of("a"), ElementsAre("a"));
  EXPECT_THAT(lines_of("a\n\nb"), ElementsAre("a", "", "b"));
}

TEST(LineReader, DropsAndCountsCarriageReturnsAndTheByteOrderMark) {
  LineReader reader = reader_of(
      "\xEF\xBB\xBF"
      "a\r\nb\n\xEF\xBB\xBF"
      "c\r\r\n\r\n");
  EXPECT_THAT(lines_of(reader), ElementsAre("a", "b",
                                            "\xEF\xBB\xBF"
                                            "c",
                                            ""));
  EXPECT_EQ(reader.byte_order_marks(), 1U);
  EXPECT_EQ(reader.carriage_returns(), 3U);
  EXPECT_EQ(reader.lines(), 4U);
}

TEST(LineReader, CountsLinesThatAreNotUtf8AndNamesTheFirst) {
  LineReader reader = reader_of("ok\n\xFF\nfine\ncaf\xE9\n\xC0\x80\n\x80\n\x81\n\x82\n");
  LineReader::Line line;
  std::vector<bool> valid;
  while (reader.next(line)) {
    valid.push_back(line.valid_utf8);
  }
  EXPECT_THAT(valid, ElementsAre(true, false, true, false, false, false, false, false));
  EXPECT_EQ(reader.invalid_utf8().count, 6U);
  EXPECT_THAT(reader.invalid_utf8().first, ElementsAre("f:2", "f:4", "f:5", "f:6", "f:7"));
}

TEST(LineReader, CutsALineThatIsTooLongAndGoesOnBehindIt) {
  const std::string longest(LineReader::kLongestLine, 'x');
  const std::string content = longest + "\n" + longest + "yyy\nnext\n";
  LineReader reader = reader_of(content);
  LineReader::Line line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_FALSE(line.cut);
  EXPECT_EQ(line.text, longest);
  ASSERT_TRUE(reader.next(line));
  EXPECT_TRUE(line.cut);
  EXPECT_EQ(line.text.size(), LineReader::kLongestLine);
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line.text, "next");
}

TEST(LineReader, ReadsCompressedFilesAndSaysWhereTheyBreak) {
  const TempDir folder;
  std::string text;
  for (int line = 0; line < 50000; ++line) {
    text += "line " + std::to_string(line) + "\n";
  }
  const std::string packed = testing::gzip(text);
  write_bytes(folder / "a.gz", packed);
  LineReader whole(folder / "a.gz");
  EXPECT_EQ(lines_of(whole).size(), 50000U);
  write_bytes(folder / "b.gz", packed.substr(0, packed.size() - 1000));
  LineReader broken(folder / "b.gz");
  const std::string message = message_of<FormatError>([&] { lines_of(broken); });
  EXPECT_THAT(message, HasSubstr("b.gz: gzip data ends early, at byte "));
  EXPECT_THAT(message, HasSubstr("(after line " + std::to_string(broken.lines()) + ")"));
  EXPECT_GT(broken.lines(), 1000U);
}

TEST(LineReader, AMissingFileIsAnIoError) {
  EXPECT_THAT(message_of<IoError>([] { LineReader("no/such/file.txt"); }),
              HasSubstr("cannot read no/such/file.txt: No such file or directory"));
}

TEST(LineReader, ReadsAMillionLinesInBoundedMemory) {
  const TempDir folder;
  {
    std::ofstream out(folder / "big.txt");
    const std::string line = "a sentence of about fifty bytes, with a number: ";
    for (int number = 0; number < 1000000; ++number) {
      out << line << number << '\n';
    }
  }
  rusage before{};
  ::getrusage(RUSAGE_SELF, &before);
  LineReader reader(folder / "big.txt");
  LineReader::Line line;
  std::size_t bytes = 0;
  while (reader.next(line)) {
    bytes += line.text.size() + 1;
  }
  rusage after{};
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_EQ(reader.lines(), 1000000U);
  EXPECT_EQ(bytes, std::filesystem::file_size(folder / "big.txt"));
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 8 * 1024) << "KiB, for a file of 54 MB";
}

}  // namespace
}  // namespace yona
