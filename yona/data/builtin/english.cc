// English, as in Britain: "one hundred and five", "half past three", "the first of March".

#include <array>
#include <utility>

#include <fmt/format.h>

#include "yona/data/builtin/digits.h"
#include "yona/data/builtin/language.h"

namespace yona::builtin {
namespace {

constexpr std::array<std::string_view, 20> kSmall = {
    "zero",     "one",     "two",     "three",     "four",     "five",    "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array<std::string_view, 10> kTens = {
    "", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"};
constexpr std::array<std::string_view, 20> kSmallOrdinals = {
    "",           "first",     "second",    "third",       "fourth",     "fifth",     "sixth",
    "seventh",    "eighth",    "ninth",     "tenth",       "eleventh",   "twelfth",   "thirteenth",
    "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"};
constexpr std::array<std::string_view, 13> kMonths = {
    "",     "January", "February",  "March",   "April",    "May",     "June",
    "July", "August",  "September", "October", "November", "December"};

std::string below_hundred(int n) {
  if (n < 20) {
    return std::string(kSmall[n]);
  }
  return n % 10 == 0 ? std::string(kTens[n / 10])
                     : fmt::format("{}-{}", kTens[n / 10], kSmall[n % 10]);
}

std::string below_thousand(int n) {
  if (n < 100) {
    return below_hundred(n);
  }
  const std::string hundreds = fmt::format("{} hundred", kSmall[n / 100]);
  return n % 100 == 0 ? hundreds : fmt::format("{} and {}", hundreds, below_hundred(n % 100));
}

std::string number(const Number& number) {
  const int millions = number.value / 1'000'000;
  const int thousands = number.value / 1000 % 1000;
  const int rest = number.value % 1000;
  std::string words;
  if (millions > 0) {
    words = below_thousand(millions) + " million";
  }
  if (thousands > 0) {
    words += fmt::format("{}{} thousand", words.empty() ? "" : " ", below_thousand(thousands));
  }
  if (words.empty()) {
    return below_thousand(rest);
  }
  if (rest > 0) {  // two thousand and five, two thousand three hundred and five
    words += fmt::format("{} {}", rest < 100 ? " and" : "", below_thousand(rest));
  }
  return words;
}

std::string counted(int n, std::string_view unit) {
  return fmt::format("{} {}{}", below_thousand(n), unit, n == 1 ? "" : "s");
}

std::string price(const Price& price) {
  if (price.euros == 0) {
    return counted(price.cents, "cent");
  }
  const std::string euros = counted(price.euros, "euro");
  return price.cents == 0 ? euros : fmt::format("{} and {}", euros, counted(price.cents, "cent"));
}

// The minutes before or after the hour; those that the clock's face does not name are counted.
std::string minutes(int n) {
  if (n == 15) {
    return "quarter";
  }
  return n % 5 == 0 ? below_hundred(n) : counted(n, "minute");
}

std::string time(const Time& time) {
  if (time.minute == 0) {
    return fmt::format("{} o'clock", kSmall[time.hour]);
  }
  if (time.minute == 30) {
    return fmt::format("half past {}", kSmall[time.hour]);
  }
  return time.minute < 30
             ? fmt::format("{} past {}", minutes(time.minute), kSmall[time.hour])
             : fmt::format("{} to {}", minutes(60 - time.minute), kSmall[next_hour(time.hour)]);
}

std::string ordinal(int day) {
  if (day < 20) {
    return std::string(kSmallOrdinals[day]);
  }
  if (day % 10 == 0) {
    return day == 20 ? "twentieth" : "thirtieth";
  }
  return fmt::format("{}-{}", kTens[day / 10], kSmallOrdinals[day % 10]);
}

// Nineteen hundred, nineteen oh five, two thousand and five, twenty ten.
std::string year_words(int year) {
  if (year / 10 == 200) {
    return number({year});
  }
  const std::string century = below_hundred(year / 100);
  const int rest = year % 100;
  if (rest == 0) {
    return century + " hundred";
  }
  return fmt::format("{} {}{}", century, rest < 10 ? "oh " : "", below_hundred(rest));
}

std::string date(const Date& date) {
  const std::string day = fmt::format("the {} of {}", ordinal(date.day), kMonths[date.month]);
  return date.year == 0 ? day : fmt::format("{} {}", day, year_words(date.year));
}

// ---- other ways ----

// "twenty one" is typed as often as "twenty-one".
void add_open(Ways& ways) {
  const std::size_t count = ways.size();
  for (std::size_t way = 0; way < count; ++way) {
    ways.push_back(replaced(ways[way], "-", " "));
  }
}

Ways other_numbers(const Number& value) {
  const std::string words = number(value);
  Ways ways = {words, replaced(words, " and ", " ")};  // American: one hundred five
  if (words.starts_with("one ")) {                     // a hundred and five
    ways.push_back(fmt::format("a{}", std::string_view{words}.substr(3)));
  }
  add_open(ways);
  return with_digits(std::move(ways), value);
}

Ways other_prices(const Price& value) {
  Ways ways = {price(value)};
  if (value.euros > 0 && value.cents > 0) {
    const std::string euros = counted(value.euros, "euro");
    ways.push_back(fmt::format("{} {}", euros, below_hundred(value.cents)));
    ways.push_back(fmt::format("{} and {}", euros, below_hundred(value.cents)));
    ways.push_back(fmt::format("{} {}", euros, counted(value.cents, "cent")));
  }
  add_open(ways);
  if (value.euros == 0) {
    ways.push_back(fmt::format("{} cent{}", value.cents, value.cents == 1 ? "" : "s"));
  } else if (value.euros <= kLargestInDigits) {
    ways.push_back("€" + decimal(value, "."));
    ways.push_back(decimal(value, ".") + (value == Price{1, 0} ? " euro" : " euros"));
  }
  return ways;
}

// Minutes with and without the word for them, and both articles of a quarter.
Ways minute_ways(int n) {
  if (n == 15) {
    return {"quarter", "a quarter", "fifteen", "fifteen minutes"};
  }
  return {below_hundred(n), counted(n, "minute")};
}

Ways other_times(const Time& time) {
  const std::string_view hour = kSmall[time.hour];
  const int minute = time.minute;
  Ways ways;
  if (minute == 0) {
    ways = {fmt::format("{} o’clock", hour), fmt::format("{} oclock", hour),
            fmt::format("{} o'clock", time.hour)};
  } else {
    ways.push_back(fmt::format("{} {}{}", hour, minute < 10 ? "oh " : "", below_hundred(minute)));
  }
  if (minute > 0 && minute < 30) {
    for (const std::string& minutes : minute_ways(minute)) {
      ways.push_back(fmt::format("{} past {}", minutes, hour));
      ways.push_back(fmt::format("{} after {}", minutes, hour));  // American
    }
  } else if (minute > 30) {
    for (const std::string& minutes : minute_ways(60 - minute)) {
      ways.push_back(fmt::format("{} to {}", minutes, kSmall[next_hour(time.hour)]));
    }
  }
  add_open(ways);
  const Ways digits = clock_times(time);
  ways.insert(ways.end(), digits.begin(), digits.end());
  return ways;
}

std::string_view ordinal_ending(int day) {
  const int unit = day / 10 == 1 ? 0 : day % 10;
  return unit == 1 ? "st" : unit == 2 ? "nd" : unit == 3 ? "rd" : "th";
}

Ways other_dates(const Date& date) {
  const std::string_view month = kMonths[date.month];
  const std::string words = ordinal(date.day);
  const std::string digits = fmt::format("{}{}", date.day, ordinal_ending(date.day));
  const std::string year = date.year == 0 ? "" : fmt::format(" {}", year_words(date.year));
  const std::string figures = date.year == 0 ? "" : fmt::format(" {}", date.year);
  Ways ways = {fmt::format("the {} of {}{}", words, month, year),
               fmt::format("{} of {}{}", words, month, year),
               fmt::format("{} the {}{}", month, words, year),
               fmt::format("{} {}{}", month, words, year)};
  add_open(ways);
  const std::string comma = date.year == 0 ? "" : ",";
  for (const std::string& way :
       {fmt::format("the {} of {}", digits, month), fmt::format("{} of {}", digits, month),
        fmt::format("{} {}", date.day, month), fmt::format("{} {}{}", month, date.day, comma),
        fmt::format("{} {}{}", month, digits, comma)}) {
    ways.push_back(way + figures);
  }
  return ways;
}

}  // namespace

const Language kEnglish = {"en", "English",     number,       price,       time,
                           date, other_numbers, other_prices, other_times, other_dates};

}  // namespace yona::builtin
