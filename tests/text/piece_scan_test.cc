#include "yona/text/piece_scan.h"

#include <string>

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(PieceScan, FindsPiecesFromLeftToRight) {
  PieceScan scan("a<m>b<mm><m>", {"<m>", "<mm>", "<x>"});
  EXPECT_EQ(scan.next(0).at, 1U);
  EXPECT_EQ(scan.next(4).piece, 1U);
  EXPECT_EQ(scan.next(6).at, 9U);
  EXPECT_EQ(scan.next(12).at, std::string_view::npos);
}

TEST(PieceScan, TakesTheFirstOfTheListWhereSeveralBegin) {
  EXPECT_EQ(PieceScan("<m>>", {"<m>>", "<m>"}).next(0).piece, 0U);
  EXPECT_EQ(PieceScan("<m>>", {"<m>", "<m>>"}).next(0).piece, 0U);
}

TEST(PieceScan, NeverFindsAnEmptyPiece) {
  EXPECT_EQ(PieceScan("text", {""}).next(0).at, std::string_view::npos);
  EXPECT_EQ(PieceScan("", {"", "a"}).next(0).at, std::string_view::npos);
}

// Searching for all of them again after each one that is found would take hours.
TEST(PieceScan, SearchesTheTextOnceForEachPiece) {
  std::string text;
  for (int i = 0; i < 300'000; ++i) {
    text += "<mask>";
  }
  std::vector<std::string> absent;
  for (int i = 0; i < 20; ++i) {
    absent.push_back("<mas" + std::to_string(i));
  }
  std::vector<std::string_view> pieces(absent.begin(), absent.end());
  pieces.emplace_back("<mask>");
  PieceScan scan(text, pieces);
  std::size_t count = 0;
  for (PieceScan::Found found = scan.next(0); found.at != std::string_view::npos;
       found = scan.next(found.at + 6)) {
    EXPECT_EQ(found.piece, pieces.size() - 1);
    ++count;
  }
  EXPECT_EQ(count, 300'000U);
}

}  // namespace
}  // namespace yona
