// Chinese: hand-written answers.

#include "tests/data/builtin/said.h"

namespace yona::builtin {
namespace {

TEST(Chinese, GroupsNumbersByFourDigits) {
  expect_said("zh", {
                        {Number{0}, "零"},
                        {Number{10}, "十"},
                        {Number{11}, "十一"},
                        {Number{20}, "二十"},
                        {Number{99}, "九十九"},
                        {Number{100}, "一百"},
                        {Number{111}, "一百一十一"},
                        {Number{1234}, "一千二百三十四"},
                        {Number{10000}, "一万"},
                        {Number{12345}, "一万二千三百四十五"},
                        {Number{100000}, "十万"},
                        {Number{120000}, "十二万"},
                        {Number{105000}, "十万五千"},
                        {Number{110011}, "十一万零一十一"},
                        {Number{1111111}, "一百一十一万一千一百一十一"},
                        {Number{10000000}, "一千万"},
                        {Number{123456789}, "一亿二千三百四十五万六千七百八十九"},
                    });
}

TEST(Chinese, SaysOneZeroForPlacesLeftOut) {
  expect_said("zh", {
                        {Number{105}, "一百零五"},
                        {Number{110}, "一百一十"},
                        {Number{1005}, "一千零五"},
                        {Number{1010}, "一千零一十"},
                        {Number{1050}, "一千零五十"},
                        {Number{1100}, "一千一百"},
                        {Number{10005}, "一万零五"},
                        {Number{10500}, "一万零五百"},
                        {Number{15000}, "一万五千"},
                        {Number{10101}, "一万零一百零一"},
                        {Number{300300}, "三十万零三百"},
                        {Number{1000500}, "一百万零五百"},
                        {Number{1005000}, "一百万五千"},
                        {Number{10010010}, "一千零一万零一十"},
                        {Number{100000001}, "一亿零一"},
                        {Number{100005000}, "一亿零五千"},
                        {Number{100120000}, "一亿零一十二万"},
                        {Number{150000000}, "一亿五千万"},
                        {Number{101000000}, "一亿零一百万"},
                    });
}

TEST(Chinese, SaysLiangWhereANumberBeginsWithTwoOfALargeUnit) {
  expect_said("zh", {
                        {Number{2}, "二"},
                        {Number{12}, "十二"},
                        {Number{22}, "二十二"},
                        {Number{200}, "二百"},
                        {Number{222}, "二百二十二"},
                        {Number{2000}, "两千"},
                        {Number{2222}, "两千二百二十二"},
                        {Number{20000}, "两万"},
                        {Number{22222}, "两万二千二百二十二"},
                        {Number{20002}, "两万零二"},
                        {Number{32000}, "三万二千"},
                        {Number{200000}, "二十万"},
                        {Number{220000}, "二十二万"},
                        {Number{2000000}, "二百万"},
                        {Number{20000000}, "两千万"},
                        {Number{200000000}, "两亿"},
                        {Number{200020000}, "两亿零二万"},
                    });
}

TEST(Chinese, CountsEurosAndCents) {
  expect_said("zh", {
                        {Price{3, 40}, "三欧元四十欧分"},
                        {Price{1, 0}, "一欧元"},
                        {Price{2, 2}, "两欧元两欧分"},
                        {Price{0, 10}, "十欧分"},
                        {Price{12, 22}, "十二欧元二十二欧分"},
                        {Price{110, 5}, "一百一十欧元五欧分"},
                        {Price{202, 0}, "二百零二欧元"},
                    });
}

TEST(Chinese, TellsTheTimeWithQuarters) {
  expect_said("zh", {
                        {Time{3, 0}, "三点"},
                        {Time{2, 0}, "两点"},
                        {Time{12, 0}, "十二点"},
                        {Time{2, 2}, "两点零二分"},
                        {Time{3, 5}, "三点零五分"},
                        {Time{3, 10}, "三点十分"},
                        {Time{3, 15}, "三点一刻"},
                        {Time{3, 20}, "三点二十分"},
                        {Time{3, 30}, "三点半"},
                        {Time{3, 45}, "三点三刻"},
                        {Time{12, 55}, "十二点五十五分"},
                    });
}

TEST(Chinese, GoesFromYearToDay) {
  expect_said("zh", {
                        {Date{21, 3}, "三月二十一日"},
                        {Date{2, 2}, "二月二日"},
                        {Date{10, 10}, "十月十日"},
                        {Date{31, 12}, "十二月三十一日"},
                        {Date{21, 3, 1995}, "一九九五年三月二十一日"},
                        {Date{1, 1, 2005}, "二〇〇五年一月一日"},
                        {Date{1, 10, 1900}, "一九〇〇年十月一日"},
                    });
}

TEST(Chinese, IsWrittenInSeveralWays) {
  expect_written(
      "zh",
      {
          {Time{7, 15}, {"七点一刻", "七点十五分", "七点十五", "七點一刻", "7点15分", "7:15"}},
          {Time{2, 0}, {"两点", "两点整", "兩點", "2点", "14点"}},
          {Number{22240}, {"两万二千二百四十", "二万二千二百四十", "兩萬二千二百四十"}},
          {Price{3, 40}, {"三欧元四十欧分", "三歐元四十歐分", "3.40欧元", "€3.40"}},
          {Date{21, 3}, {"三月二十一日", "三月二十一号", "三月二十一號", "3月21日"}},
      });
}

}  // namespace
}  // namespace yona::builtin
