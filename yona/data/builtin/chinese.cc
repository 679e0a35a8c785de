// Chinese (Mandarin, simplified characters): groups of four digits (万, 亿), 零 for skipped places,
// 两 where a number begins with two thousands, 万 or 亿; largest unit first, so years lead a date.

#include <array>

#include "yona/data/builtin/language.h"

namespace yona::builtin {
namespace {

constexpr std::array<std::string_view, 10> kDigits = {"零", "一", "二", "三", "四",
                                                      "五", "六", "七", "八", "九"};

constexpr std::array<std::string_view, 4> kUnits = {"", "十", "百", "千"};  // within a group
constexpr std::array<std::string_view, 3> kGroups = {"", "万", "亿"};       // of four digits

// The digit at a power of ten. Where a number begins, ten is 十 rather than 一十, and two is 两
// before 千, 万 and 亿.
std::string digit_words(int digit, int power, bool begins) {
  const int place = power % 4;
  if (begins && digit == 1 && place == 1) {
    return std::string(kUnits[1]);
  }
  const bool pair = begins && digit == 2 && power >= 3 && (place == 3 || place == 0);
  return std::string(pair ? "两" : kDigits[digit]) + std::string(kUnits[place]);
}

// Zeros inside the number are said as one 零, except those that end a group which is itself said:
// 十万五千, but 一百万零五百 and 一亿零五千.
std::string cardinal(int n) {
  if (n == 0) {
    return std::string(kDigits[0]);
  }
  std::string words;
  bool skipped = false;
  int scale = 100'000'000;
  for (int power = 8; power >= 0; --power, scale /= 10) {
    const int digit = n / scale % 10;
    if (digit == 0) {
      skipped = skipped || !words.empty();
    } else {
      words += (skipped ? kDigits[0] : "");
      words += digit_words(digit, power, words.empty());
      skipped = false;
    }
    if (power % 4 == 0 && n / scale % 10'000 != 0) {
      words += kGroups[power / 4];
      skipped = false;
    }
  }
  return words;
}

// Two of something is 两; twelve and twenty-two keep 二.
std::string counted(int n, std::string_view unit) {
  return (n == 2 ? "两" : cardinal(n)) + std::string(unit);
}

std::string number(const Number& number) { return cardinal(number.value); }

std::string price(const Price& price) {
  return (price.euros == 0 ? "" : counted(price.euros, "欧元")) +
         (price.cents == 0 ? "" : counted(price.cents, "欧分"));
}

std::string time(const Time& time) {
  std::string hour = counted(time.hour, "点");
  switch (time.minute) {
    case 0:
      return hour;
    case 15:
      return hour + "一刻";
    case 30:
      return hour + "半";
    case 45:
      return hour + "三刻";
    default:
      return hour + (time.minute < 10 ? "零" : "") + cardinal(time.minute) + "分";
  }
}

// A year is read digit by digit, with the round zero: 二〇〇五年.
std::string year_words(int year) {
  std::string words;
  for (int power = 1000; power > 0; power /= 10) {
    const int digit = year / power % 10;
    words += digit == 0 ? "〇" : kDigits[digit];
  }
  return words + "年";
}

std::string date(const Date& date) {
  return (date.year == 0 ? "" : year_words(date.year)) + cardinal(date.month) + "月" +
         cardinal(date.day) + "日";
}

}  // namespace

const Language kChinese = {"zh", "Chinese", number, price, time, date};

}  // namespace yona::builtin
