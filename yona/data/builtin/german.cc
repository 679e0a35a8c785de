// German: "einundzwanzig" puts the unit before the ten, "halb vier" names the hour to come. Numbers
// below a million are one word; einhundert and eintausend are always said in full.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "yona/data/builtin/digits.h"
#include "yona/data/builtin/language.h"

namespace yona::builtin {
namespace {

constexpr std::array<std::string_view, 20> kSmall = {
    "null",     "ein",      "zwei",     "drei",     "vier",     "fünf",    "sechs",
    "sieben",   "acht",     "neun",     "zehn",     "elf",      "zwölf",   "dreizehn",
    "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn"};
constexpr std::array<std::string_view, 10> kTens = {
    "", "", "zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"};
constexpr std::array<std::string_view, 13> kMonths = {
    "",     "Januar", "Februar",   "März",    "April",    "Mai",     "Juni",
    "Juli", "August", "September", "Oktober", "November", "Dezember"};

// A final one changes with what follows: eins alone, ein before tausend, Euro, Cent and Uhr, eine
// before Minute and Million.
constexpr std::string_view kAlone = "eins";
constexpr std::string_view kNeuter = "ein";
constexpr std::string_view kFeminine = "eine";

std::string below_hundred(int n, std::string_view one) {
  if (n == 1) {
    return std::string(one);
  }
  if (n < 20) {
    return std::string(kSmall[n]);
  }
  return n % 10 == 0 ? std::string(kTens[n / 10])
                     : fmt::format("{}und{}", kSmall[n % 10], kTens[n / 10]);
}

std::string below_thousand(int n, std::string_view one) {
  if (n < 100) {
    return below_hundred(n, one);
  }
  const std::string rest = n % 100 == 0 ? "" : below_hundred(n % 100, one);
  return fmt::format("{}hundert{}", kSmall[n / 100], rest);
}

std::string below_million(int n) {
  if (n < 1000) {
    return below_thousand(n, kAlone);
  }
  const std::string rest = n % 1000 == 0 ? "" : below_thousand(n % 1000, kAlone);
  return fmt::format("{}tausend{}", below_thousand(n / 1000, kNeuter), rest);
}

std::string number(const Number& number) {
  const int millions = number.value / 1'000'000;
  const int rest = number.value % 1'000'000;
  if (millions == 0) {
    return below_million(rest);
  }
  const std::string words = fmt::format("{} {}", below_thousand(millions, kFeminine),
                                        millions == 1 ? "Million" : "Millionen");
  return rest == 0 ? words : fmt::format("{} {}", words, below_million(rest));
}

// Ein Euro, ein Cent; with both, the word Cent is left out: drei Euro vierzig, drei Euro eins.
std::string price(const Price& price) {
  if (price.euros == 0) {
    return below_hundred(price.cents, kNeuter) + " Cent";
  }
  const std::string euros = below_thousand(price.euros, kNeuter) + " Euro";
  return price.cents == 0 ? euros : fmt::format("{} {}", euros, below_hundred(price.cents, kAlone));
}

std::string minutes(int n) {
  if (n == 15) {
    return "Viertel";
  }
  if (n % 5 == 0) {
    return below_hundred(n, kAlone);
  }
  return fmt::format("{} {}", below_hundred(n, kFeminine), n == 1 ? "Minute" : "Minuten");
}

// Up to twenty minutes are counted from the full hours, the others from the half hour between.
std::string time(const Time& time) {
  const std::string hour = below_hundred(time.hour, kAlone);
  const std::string next = below_hundred(next_hour(time.hour), kAlone);
  const int minute = time.minute;
  if (minute == 0) {
    return below_hundred(time.hour, kNeuter) + " Uhr";
  }
  if (minute <= 20) {
    return fmt::format("{} nach {}", minutes(minute), hour);
  }
  if (minute < 30) {
    return fmt::format("{} vor halb {}", minutes(30 - minute), next);
  }
  if (minute == 30) {
    return fmt::format("halb {}", next);
  }
  return minute < 40 ? fmt::format("{} nach halb {}", minutes(minute - 30), next)
                     : fmt::format("{} vor {}", minutes(60 - minute), next);
}

std::string ordinal(int day) {
  switch (day) {
    case 1:
      return "erste";
    case 3:
      return "dritte";
    case 7:
      return "siebte";
    case 8:
      return "achte";
    default:
      return below_hundred(day, kAlone) + (day < 20 ? "te" : "ste");
  }
}

// Neunzehnhundertfünf, zweitausendfünf.
std::string year_words(int year) {
  if (year >= 2000) {
    return below_million(year);
  }
  const std::string rest = year % 100 == 0 ? "" : below_hundred(year % 100, kAlone);
  return fmt::format("{}hundert{}", kSmall[year / 100], rest);
}

std::string date(const Date& date) {
  const std::string day = fmt::format("der {} {}", ordinal(date.day), kMonths[date.month]);
  return date.year == 0 ? day : fmt::format("{} {}", day, year_words(date.year));
}

// ---- other ways ----

// Hundert and tausend are said as often as einhundert and eintausend.
Ways other_numbers(const Number& value) {
  const std::string words = number(value);
  Ways ways;
  if (words.starts_with("einhundert") || words.starts_with("eintausend")) {
    ways.push_back(words.substr(3));
  }
  return with_digits(std::move(ways), value);
}

Ways other_prices(const Price& value) {
  if (value.euros == 0) {
    return {fmt::format("{} Cent", value.cents)};
  }
  Ways ways;
  if (value.euros <= kLargestInDigits) {
    ways = {decimal(value, ",") + " Euro", decimal(value, ",") + " €"};
  }
  if (value.cents > 0) {
    const std::string cents = below_hundred(value.cents, kNeuter) + " Cent";
    const std::string euros = below_thousand(value.euros, kNeuter) + " Euro";
    ways.push_back(fmt::format("{} und {}", euros, cents));
    ways.push_back(fmt::format("{} {}", euros, cents));
  }
  return ways;
}

// With digits: 7:15, 7:15 Uhr, 7.15 Uhr, 19 Uhr.
Ways times_in_digits(const Time& time) {
  Ways ways;
  for (const std::string& digits : clock_times(time)) {
    ways.push_back(digits);
    ways.push_back(digits + " Uhr");
    ways.push_back(replaced(digits, ":", ".") + " Uhr");
  }
  for (const int hour : hours_of(time)) {
    ways.push_back(time.minute == 0 ? fmt::format("{} Uhr", hour)
                                    : fmt::format("{} Uhr {}", hour, time.minute));
  }
  return ways;
}

// Sieben Uhr fünfzehn; minutes with and without the word for them.
Ways other_times(const Time& value) {
  Ways ways;
  if (value.minute > 0) {
    ways.push_back(fmt::format("{} Uhr {}", below_hundred(value.hour, kNeuter),
                               below_hundred(value.minute, kAlone)));
  }
  const std::string words = time(value);
  const std::size_t end = std::min(words.find(" nach "), words.find(" vor "));
  if (end != std::string::npos) {
    const bool from_half = words.find(" halb ") != std::string::npos;
    const int count =
        from_half ? std::abs(30 - value.minute) : std::min(value.minute, 60 - value.minute);
    ways.push_back(below_hundred(count, kAlone) + words.substr(end));
    ways.push_back(fmt::format("{} Minute{}{}", below_hundred(count, kFeminine),
                               count == 1 ? "" : "n", words.substr(end)));
  }
  const Ways digits = times_in_digits(value);
  ways.insert(ways.end(), digits.begin(), digits.end());
  return ways;
}

Ways other_dates(const Date& date) {
  const std::string_view month = kMonths[date.month];
  const std::string year = date.year == 0 ? "" : fmt::format(" {}", year_words(date.year));
  const std::string figures = date.year == 0 ? "" : fmt::format(" {}", date.year);
  return {fmt::format("{} {}{}", ordinal(date.day), month, year),
          fmt::format("{}r {}{}", ordinal(date.day), month, year),  // erster Mai
          fmt::format("{}. {}{}", date.day, month, figures),
          fmt::format("der {}. {}{}", date.day, month, figures)};
}

}  // namespace

const Language kGerman = {"de", "German",      number,       price,       time,
                          date, other_numbers, other_prices, other_times, other_dates};

}  // namespace yona::builtin
