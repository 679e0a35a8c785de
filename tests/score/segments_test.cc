#include "yona/score/segments.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using Lines = std::vector<std::string>;

Lines read(std::string_view content) {
  LineReader reader(open_bytes(content, "x.de"), "x.de");
  return read_segments(reader);
}

TEST(Segments, AreLinesWithoutWhatStandsAtTheirEnd) {
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "a b \r\n\n c\t\u3000\nlast"),
            (Lines{"a b", "", " c", "last"}));
  EXPECT_EQ(read("a\u2028b\x0b\n"), (Lines{"a\u2028b"}));  // one line, whatever Python may say
  EXPECT_EQ(read(""), Lines{});
}

TEST(Segments, AreRefusedWhereTheyAreNotText) {
  EXPECT_EQ(message_of<FormatError>([] { read("good\nbad \xff\n"); }),
            "x.de:2: the line is not valid UTF-8");
  EXPECT_EQ(message_of<FormatError>([] { read(std::string(LineReader::kLongestLine + 1, 'a')); }),
            "x.de:1: the line is longer than 1.0 MB");
}

TEST(Segments, JoinReferencesLineByLine) {
  EXPECT_EQ(join_references({{"a", {"1", "2"}}, {"b", {"3", ""}}}),
            (References{{"1", "3"}, {"2", ""}}));
  EXPECT_EQ(message_of<InvalidArgument>([] {
              join_references({{"a", {"1", "2"}}, {"b", {"3"}}});
            }),
            "score: a has 2 lines and b has 1 line; line by line they must correspond");
}

TEST(Segments, SplitReferencesAtTabs) {
  EXPECT_EQ(split_references({"a", {"1\t2 3\t", "4", ""}}),
            (References{{"1", "2 3", ""}, {"4"}, {""}}));
}

TEST(Segments, MustBeAsManyAsReferences) {
  EXPECT_EQ(message_of<InvalidArgument>([] {
              check_lengths({"out.de", Lines(1000)}, "ref.de", References(1001));
            }),
            "score: out.de has 1,000 lines and ref.de has 1,001 lines; line by line they must "
            "correspond");
  EXPECT_EQ(message_of<InvalidArgument>([] {
              check_lengths({"out.de", {}}, "ref.de", {});
            }),
            "score: out.de and ref.de have no lines");
}

}  // namespace
}  // namespace yona::testing
