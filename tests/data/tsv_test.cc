// Columns chosen, missing and misread.

#include "yona/data/tsv.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(Tsv, TakesTheFirstTwoColumnsUnlessTold) {
  TsvFields fields;
  ASSERT_TRUE(parse_tsv("hello\thallo", {}, fields));
  EXPECT_EQ(fields.source, "hello");
  EXPECT_EQ(fields.target, "hallo");
  EXPECT_EQ(fields.weight, 1.0F);
  EXPECT_EQ(fields.document, 0U);
  ASSERT_TRUE(parse_tsv("\t", {}, fields));
  EXPECT_EQ(fields.source, "");
  EXPECT_EQ(fields.target, "");
  ASSERT_TRUE(parse_tsv("a\tb\tc\td", {.source = 4, .target = 2}, fields));
  EXPECT_EQ(fields.source, "d");
  EXPECT_EQ(fields.target, "b");
}

TEST(Tsv, ReadsWeightAndDocument) {
  const TsvColumns columns{.source = 3, .target = 4, .weight = 1, .document = 2};
  TsvFields fields;
  ASSERT_TRUE(parse_tsv("0.25\tdoc 7\ta\tb", columns, fields));
  EXPECT_EQ(fields.weight, 0.25F);
  EXPECT_NE(fields.document, 0U);
  const std::uint64_t document = fields.document;
  ASSERT_TRUE(parse_tsv("1e-1\tdoc 7\tc\td", columns, fields));
  EXPECT_EQ(fields.document, document);
  ASSERT_TRUE(parse_tsv("2\tdoc 8\tc\td", columns, fields));
  EXPECT_NE(fields.document, document);
}

TEST(Tsv, RefusesLinesThatLackAColumnOrAPositiveWeight) {
  TsvFields fields;
  for (const char* line : {"", "one column", "a b"}) {
    EXPECT_FALSE(parse_tsv(line, {}, fields)) << line;
  }
  EXPECT_FALSE(parse_tsv("a\tb", {.document = 3}, fields));
  for (const char* weight : {"", "x", "0", "-1", "nan", "inf", "1x", " 1", "1e999", "1,5"}) {
    EXPECT_FALSE(parse_tsv(std::string("a\tb\t") + weight, {.weight = 3}, fields)) << weight;
  }
}

TEST(Tsv, TheSameColumnMayServeTwice) {
  TsvFields fields;
  ASSERT_TRUE(parse_tsv("text", {.source = 1, .target = 1}, fields));
  EXPECT_EQ(fields.target, "text");
}

}  // namespace
}  // namespace yona
