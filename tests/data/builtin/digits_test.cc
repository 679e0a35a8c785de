// Numbers, times and prices in digits.

#include "yona/data/builtin/digits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yona::builtin {
namespace {

using ::testing::ElementsAre;

TEST(Digits, AreGroupedInThrees) {
  EXPECT_EQ(grouped(0, ","), "0");
  EXPECT_EQ(grouped(999, ","), "999");
  EXPECT_EQ(grouped(1000, ","), "1,000");
  EXPECT_EQ(grouped(123456, "."), "123.456");
  EXPECT_EQ(grouped(1234567, " "), "1 234 567");
  EXPECT_THAT(digits_of({999}, {","}), ElementsAre("999"));
  EXPECT_THAT(digits_of({22240}, {",", " "}), ElementsAre("22240", "22,240", "22 240"));
}

TEST(Digits, ShowMorningAndEvening) {
  EXPECT_THAT(hours_of({3, 0}), ElementsAre(3, 15));
  EXPECT_THAT(hours_of({12, 0}), ElementsAre(12, 0));
  EXPECT_THAT(clock_times({3, 5}), ElementsAre("3:05", "03:05", "15:05"));
  EXPECT_THAT(clock_times({12, 30}), ElementsAre("12:30", "0:30", "00:30"));
}

TEST(Digits, LeaveOutCentsThatAreNotThere) {
  EXPECT_EQ(decimal({3, 40}, "."), "3.40");
  EXPECT_EQ(decimal({3, 4}, ","), "3,04");
  EXPECT_EQ(decimal({3, 0}, "."), "3");
}

TEST(Digits, ReplaceEveryPlaceOnce) {
  EXPECT_EQ(replaced("a-b-c", "-", " "), "a b c");
  EXPECT_EQ(replaced("aaa", "a", "aa"), "aaaaaa");
  EXPECT_EQ(replaced("", "a", "b"), "");
}

}  // namespace
}  // namespace yona::builtin
