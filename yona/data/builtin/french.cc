// French, as in France, in the spelling before the changes of 1990 (vingt et un, cent vingt-trois):
// "soixante-dix", "quatre-vingts" but "quatre-vingt-un", "quatre heures moins le quart".

#include <array>
#include <utility>

#include <fmt/format.h>

#include "yona/data/builtin/digits.h"
#include "yona/data/builtin/language.h"

namespace yona::builtin {
namespace {

constexpr std::array<std::string_view, 20> kSmall = {
    "zéro",     "un",     "deux",  "trois",    "quatre",   "cinq",    "six",
    "sept",     "huit",   "neuf",  "dix",      "onze",     "douze",   "treize",
    "quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf"};
constexpr std::array<std::string_view, 7> kTens = {"",         "",          "vingt",   "trente",
                                                   "quarante", "cinquante", "soixante"};
constexpr std::array<std::string_view, 13> kMonths = {
    "",        "janvier", "février",   "mars",    "avril",    "mai",     "juin",
    "juillet", "août",    "septembre", "octobre", "novembre", "décembre"};

// Vingt and cent take an s when they are multiplied and end a count (quatre-vingts euros, deux
// cents millions), but not before mille, nor in a year.
enum class Final { plural, bare };

std::string below_hundred(int n, Final final) {
  if (n < 20) {
    return std::string(kSmall[n]);
  }
  if (n >= 80) {
    return n == 80 ? (final == Final::plural ? "quatre-vingts" : "quatre-vingt")
                   : fmt::format("quatre-vingt-{}", kSmall[n - 80]);
  }
  const int ten = n < 70 ? n / 10 : 6;  // soixante-dix counts on from sixty
  const int rest = n - 10 * ten;
  if (rest == 0) {
    return std::string(kTens[ten]);
  }
  const bool joined = rest == 1 || rest == 11;  // vingt et un, soixante et onze
  return fmt::format("{}{}{}", kTens[ten], joined ? " et " : "-", kSmall[rest]);
}

std::string below_thousand(int n, Final final) {
  const int hundreds = n / 100;
  const int rest = n % 100;
  if (hundreds == 0) {
    return below_hundred(rest, final);
  }
  const std::string words = hundreds == 1 ? "cent" : fmt::format("{} cent", kSmall[hundreds]);
  if (rest == 0) {
    return hundreds > 1 && final == Final::plural ? words + "s" : words;
  }
  return fmt::format("{} {}", words, below_hundred(rest, final));
}

std::string below_million(int n, Final final) {
  const int thousands = n / 1000;
  const int rest = n % 1000;
  if (thousands == 0) {
    return below_thousand(rest, final);
  }
  const std::string words =
      thousands == 1 ? "mille" : fmt::format("{} mille", below_thousand(thousands, Final::bare));
  return rest == 0 ? words : fmt::format("{} {}", words, below_thousand(rest, final));
}

std::string counted(int n, std::string_view unit) {
  return fmt::format("{} {}{}", below_thousand(n, Final::plural), unit, n == 1 ? "" : "s");
}

std::string number(const Number& number) {
  const int millions = number.value / 1'000'000;
  const int rest = number.value % 1'000'000;
  if (millions == 0) {
    return below_million(rest, Final::plural);
  }
  const std::string words = counted(millions, "million");
  return rest == 0 ? words : fmt::format("{} {}", words, below_million(rest, Final::plural));
}

std::string price(const Price& price) {
  if (price.euros == 0) {
    return counted(price.cents, "centime");
  }
  const std::string euros = counted(price.euros, "euro");
  return price.cents == 0 ? euros : fmt::format("{} et {}", euros, counted(price.cents, "centime"));
}

// Hours and minutes are feminine: une heure, vingt et une.
std::string feminine(int n) {
  const std::string words = below_hundred(n, Final::plural);
  return n % 10 == 1 && n != 11 ? words + "e" : words;
}

std::string hours(int n) { return fmt::format("{} heure{}", feminine(n), n == 1 ? "" : "s"); }

// What the clock's face names beyond the half hour is taken from the next hour; the rest is read.
std::string time(const Time& time) {
  if (time.minute == 0) {
    return hours(time.hour);
  }
  if (time.minute == 15) {
    return hours(time.hour) + " et quart";
  }
  if (time.minute == 30) {
    return hours(time.hour) + " et demie";
  }
  if (time.minute == 45) {
    return hours(next_hour(time.hour)) + " moins le quart";
  }
  return time.minute > 30 && time.minute % 5 == 0
             ? fmt::format("{} moins {}", hours(next_hour(time.hour)), feminine(60 - time.minute))
             : fmt::format("{} {}", hours(time.hour), feminine(time.minute));
}

std::string date(const Date& date) {
  const std::string day = date.day == 1 ? "premier" : below_hundred(date.day, Final::plural);
  const std::string words = fmt::format("le {} {}", day, kMonths[date.month]);
  return date.year == 0 ? words
                        : fmt::format("{} {}", words, below_million(date.year, Final::bare));
}

// ---- other ways ----

// The spelling of 1990 joins all parts of a number: vingt-et-un, deux-cent-quarante.
Ways other_numbers(const Number& value) {
  Ways ways = {replaced(replaced(number(value), " ", "-"), "-million", " million")};
  ways.front() = replaced(replaced(ways.front(), "million-", "million "), "millions-", "millions ");
  return with_digits(std::move(ways), value);
}

Ways other_prices(const Price& value) {
  if (value.euros == 0) {
    return {fmt::format("{} centime{}", value.cents, value.cents == 1 ? "" : "s")};
  }
  Ways ways;
  if (value.euros <= kLargestInDigits) {
    ways = {decimal(value, ",") + " €",
            decimal(value, ",") + (value.euros == 1 ? " euro" : " euros")};
  }
  if (value.cents > 0) {
    const std::string euros = counted(value.euros, "euro");
    ways.push_back(fmt::format("{} {}", euros, below_hundred(value.cents, Final::plural)));
    ways.push_back(fmt::format("{} {}", euros, counted(value.cents, "centime")));
  }
  return ways;
}

// Sept heures quinze, 7 h 15, 7h15, 19h15, 7:15.
Ways other_times(const Time& time) {
  Ways ways = clock_times(time);
  if (time.minute > 0) {
    ways.push_back(fmt::format("{} {}", hours(time.hour), feminine(time.minute)));
  }
  if (time.minute > 30) {
    ways.push_back(
        fmt::format("{} moins {}", hours(next_hour(time.hour)), feminine(60 - time.minute)));
  }
  for (const int hour : hours_of(time)) {
    const std::string minute = time.minute == 0 ? "" : fmt::format("{:02}", time.minute);
    ways.push_back(fmt::format("{}h{}", hour, minute));
    ways.push_back(fmt::format("{} h{}{}", hour, minute.empty() ? "" : " ", minute));
    ways.push_back(fmt::format("{} heure{}{}{}", hour, hour < 2 ? "" : "s",
                               minute.empty() ? "" : " ", minute));
  }
  return ways;
}

Ways other_dates(const Date& value) {
  const std::string digits = value.day == 1 ? "1er" : std::to_string(value.day);
  const std::string day = fmt::format("{} {}{}", digits, kMonths[value.month],
                                      value.year == 0 ? "" : fmt::format(" {}", value.year));
  return {date(value).substr(3), day, "le " + day};  // without the article
}

}  // namespace

const Language kFrench = {"fr", "French",      number,       price,       time,
                          date, other_numbers, other_prices, other_times, other_dates};

}  // namespace yona::builtin
