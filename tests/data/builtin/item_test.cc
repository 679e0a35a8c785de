// The ranges of items.

#include "yona/data/builtin/item.h"

#include <vector>

#include <gtest/gtest.h>

namespace yona::builtin {
namespace {

TEST(Item, KnowsItsKindAndName) {
  EXPECT_EQ(name_of(kind_of(Number{5})), "number");
  EXPECT_EQ(name_of(kind_of(Price{1, 0})), "price");
  EXPECT_EQ(name_of(kind_of(Time{1, 0})), "time");
  EXPECT_EQ(name_of(kind_of(Date{1, 1})), "date");
}

TEST(Item, IsValidUpToTheEndsOfItsRangesAndNotBeyond) {
  const std::vector<Item> good = {Number{0},
                                  Number{kLargestNumber},
                                  Price{0, 1},
                                  Price{999, 99},
                                  Time{1, 0},
                                  Time{12, 59},
                                  Date{31, 12},
                                  Date{1, 1, kFirstYear},
                                  Date{31, 12, kLastYear}};
  for (const Item& item : good) {
    EXPECT_TRUE(is_valid(item)) << item.index();
  }
  const std::vector<Item> bad = {Number{-1},
                                 Number{kLargestNumber + 1},
                                 Price{0, 0},
                                 Price{-1, 5},
                                 Price{1000, 0},
                                 Price{1, 100},
                                 Time{0, 0},
                                 Time{13, 0},
                                 Time{1, 60},
                                 Time{1, -1},
                                 Date{0, 1},
                                 Date{31, 4},
                                 Date{1, 0},
                                 Date{1, 13},
                                 Date{1, 1, kFirstYear - 1},
                                 Date{1, 1, kLastYear + 1}};
  for (const Item& item : bad) {
    EXPECT_FALSE(is_valid(item)) << item.index();
  }
}

TEST(Item, KnowsLeapYears) {
  EXPECT_TRUE(is_valid(Date{29, 2}));
  EXPECT_FALSE(is_valid(Date{30, 2}));
  EXPECT_TRUE(is_valid(Date{29, 2, 2000}));
  EXPECT_TRUE(is_valid(Date{29, 2, 2024}));
  EXPECT_FALSE(is_valid(Date{29, 2, 1900}));
  EXPECT_FALSE(is_valid(Date{29, 2, 2023}));
}

}  // namespace
}  // namespace yona::builtin
