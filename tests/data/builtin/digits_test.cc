// Numbers, times and prices in digits.

#include "yona/data/builtin/digits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yona::builtin {
namespace {

using ::testing::ElementsAre;

TEST(Digits, ArePutAfterTheWordsOfSmallNumbers) {
  EXPECT_THAT(with_digits({"zero"}, {0}), ElementsAre("zero", "0"));
  EXPECT_THAT(with_digits({}, {99}), ElementsAre("99"));
  EXPECT_THAT(with_digits({"a hundred"}, {100}), ElementsAre("a hundred"));
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
