// Chinese (Mandarin, simplified characters): groups of four digits (万, 亿), 零 for skipped places,
// 两 where a number begins with two thousands, 万 or 亿; largest unit first, so years lead a date.

#include <array>
#include <utility>

#include <fmt/format.h>

#include "yona/data/builtin/digits.h"
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

// ---- other ways ----

// In traditional characters.
std::string traditional(std::string words) {
  constexpr std::array<std::array<std::string_view, 2>, 6> kPairs = {
      {{"两", "兩"}, {"万", "萬"}, {"亿", "億"}, {"点", "點"}, {"欧", "歐"}, {"号", "號"}}};
  for (const auto& [simple, old] : kPairs) {
    words = replaced(std::move(words), simple, old);
  }
  return words;
}

void add_traditional(Ways& ways, const std::string& canonical) {
  const std::size_t count = ways.size();
  ways.push_back(traditional(canonical));
  for (std::size_t way = 0; way < count; ++way) {
    ways.push_back(traditional(ways[way]));
  }
}

Ways other_numbers(const Number& value) {
  const std::string words = number(value);
  Ways ways = {replaced(words, "两", "二")};
  add_traditional(ways, words);
  return with_digits(std::move(ways), value);
}

// In speech, 元 is dropped, and 分 after it: 三欧元四十.
Ways other_prices(const Price& value) {
  Ways ways;
  if (value.euros == 0) {
    ways.push_back(fmt::format("{}欧分", value.cents));
  } else {
    ways.push_back(replaced(price(value), "欧元", "欧"));
  }
  if (value.euros > 0 && value.euros <= kLargestInDigits) {
    ways.push_back(decimal(value, ".") + "欧元");
    ways.push_back("€" + decimal(value, "."));
  }
  add_traditional(ways, price(value));
  return ways;
}

Ways other_times(const Time& value) {
  const std::string hour = counted(value.hour, "点");
  Ways ways;
  if (value.minute == 0) {
    ways = {hour + "整", hour + "钟"};
  } else {
    const std::string minute = (value.minute < 10 ? "零" : "") + cardinal(value.minute);
    ways = {hour + minute + "分", hour + minute};
  }
  for (const int digits : hours_of(value)) {
    ways.push_back(value.minute == 0 ? fmt::format("{}点", digits)
                                     : fmt::format("{}点{}分", digits, value.minute));
  }
  add_traditional(ways, time(value));
  const Ways digits = clock_times(value);
  ways.insert(ways.end(), digits.begin(), digits.end());
  return ways;
}

Ways other_dates(const Date& value) {
  Ways ways = {replaced(date(value), "日", "号")};
  for (const std::string_view day : {"日", "号"}) {
    ways.push_back(fmt::format("{}{}月{}{}", value.year == 0 ? "" : fmt::format("{}年", value.year),
                               value.month, value.day, day));
  }
  add_traditional(ways, date(value));
  return ways;
}

}  // namespace

const Language kChinese = {"zh", "Chinese",     number,       price,       time,
                           date, other_numbers, other_prices, other_times, other_dates};

}  // namespace yona::builtin
