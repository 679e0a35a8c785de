// Italian: numbers below a million are one word with vowels dropped inside (ventuno, centottanta)
// and an accent on a final tre (ventitré); "le quattro meno un quarto", "l'otto marzo".

#include <array>
#include <utility>

#include <fmt/format.h>

#include "yona/data/builtin/digits.h"
#include "yona/data/builtin/language.h"

namespace yona::builtin {
namespace {

constexpr std::array<std::string_view, 20> kSmall = {
    "zero",        "uno",      "due",    "tre",         "quattro",  "cinque",    "sei",
    "sette",       "otto",     "nove",   "dieci",       "undici",   "dodici",    "tredici",
    "quattordici", "quindici", "sedici", "diciassette", "diciotto", "diciannove"};
constexpr std::array<std::string_view, 10> kTens = {"",         "",          "venti",    "trenta",
                                                    "quaranta", "cinquanta", "sessanta", "settanta",
                                                    "ottanta",  "novanta"};
constexpr std::array<std::string_view, 13> kMonths = {
    "",       "gennaio", "febbraio",  "marzo",   "aprile",   "maggio",  "giugno",
    "luglio", "agosto",  "settembre", "ottobre", "novembre", "dicembre"};

// The three functions below give the inside of a word; a final tre still lacks its accent.
std::string below_hundred(int n) {
  if (n < 20) {
    return std::string(kSmall[n]);
  }
  const int unit = n % 10;
  std::string_view ten = kTens[n / 10];
  if (unit == 1 || unit == 8) {  // ventuno, ventotto
    ten.remove_suffix(1);
  }
  return unit == 0 ? std::string(ten) : fmt::format("{}{}", ten, kSmall[unit]);
}

std::string below_thousand(int n) {
  const int hundreds = n / 100;
  const int rest = n % 100;
  if (hundreds == 0) {
    return below_hundred(rest);
  }
  std::string words = hundreds == 1 ? "cento" : fmt::format("{}cento", kSmall[hundreds]);
  if (rest == 8 || rest / 10 == 8) {  // centotto, centottanta; but centouno, centoundici
    words.pop_back();
  }
  return rest == 0 ? words : words + below_hundred(rest);
}

std::string below_million(int n) {
  const int thousands = n / 1000;
  const int rest = n % 1000;
  if (thousands == 0) {
    return below_thousand(rest);
  }
  const std::string words = thousands == 1 ? "mille" : below_thousand(thousands) + "mila";
  return rest == 0 ? words : words + below_thousand(rest);
}

// The whole word: tre, but ventitré and milletré.
std::string word(int n) {
  std::string letters = below_million(n);
  if (n > 3 && letters.ends_with("tre")) {
    letters.replace(letters.size() - 1, 1, "é");
  }
  return letters;
}

std::string number(const Number& number) {
  const int millions = number.value / 1'000'000;
  const int rest = number.value % 1'000'000;
  if (millions == 0) {
    return word(rest);
  }
  const std::string words = millions == 1 ? "un milione" : word(millions) + " milioni";
  return rest == 0 ? words : fmt::format("{} {}", words, word(rest));
}

std::string price(const Price& price) {
  const std::string euros = price.euros == 1 ? "un euro" : word(price.euros) + " euro";
  std::string cents = price.cents == 1 ? "un centesimo" : word(price.cents) + " centesimi";
  if (price.euros == 0) {
    return cents;
  }
  return price.cents == 0 ? euros : fmt::format("{} e {}", euros, cents);
}

std::string hour_words(int hour) {
  return hour == 1 ? "l'una" : fmt::format("le {}", kSmall[hour]);
}

std::string minutes(int n) {
  return n == 1 ? "un minuto" : n == 15 ? "un quarto" : n == 30 ? "mezza" : word(n);
}

// What the clock's face names beyond the half hour is taken from the next hour; the rest is read.
std::string time(const Time& time) {
  if (time.minute == 0) {
    return hour_words(time.hour);
  }
  return time.minute > 30 && time.minute % 5 == 0
             ? fmt::format("{} meno {}", hour_words(next_hour(time.hour)),
                           minutes(60 - time.minute))
             : fmt::format("{} e {}", hour_words(time.hour), minutes(time.minute));
}

std::string date(const Date& date) {
  const bool vowel = date.day == 8 || date.day == 11;  // l'otto, l'undici
  const std::string day = date.day == 1 ? "primo" : word(date.day);
  const std::string words = fmt::format("{}{} {}", vowel ? "l'" : "il ", day, kMonths[date.month]);
  return date.year == 0 ? words : fmt::format("{} {}", words, word(date.year));
}

// ---- other ways ----

// The accent of ventitré is often left out.
Ways other_numbers(const Number& value) {
  Ways ways = {replaced(number(value), "tré", "tre")};
  return with_digits(std::move(ways), value);
}

Ways other_prices(const Price& value) {
  if (value.euros == 0) {
    return {fmt::format("{} centesim{}", value.cents, value.cents == 1 ? "o" : "i")};
  }
  Ways ways;
  if (value.euros <= kLargestInDigits) {
    ways = {decimal(value, ",") + " €", decimal(value, ",") + " euro"};
  }
  if (value.cents > 0) {
    const std::string euros = value.euros == 1 ? "un euro" : word(value.euros) + " euro";
    ways.push_back(fmt::format("{} e {}", euros, word(value.cents)));
  }
  return ways;
}

// Le sette e quindici, le tre e trenta, with and without the article; 7:15.
Ways other_times(const Time& time) {
  Ways ways;
  const std::string hour = hour_words(time.hour);
  if (time.minute > 0) {
    ways.push_back(fmt::format("{} e {}", hour, word(time.minute)));
    if (time.hour > 1) {
      ways.push_back(ways.front().substr(3));
      ways.push_back(fmt::format("{} e {}", hour.substr(3), minutes(time.minute)));
    }
  }
  if (time.minute == 30) {
    ways.push_back(hour + " e mezzo");
  }
  if (time.minute == 45) {
    ways.push_back(hour + " e tre quarti");
  }
  for (const std::string& digits : clock_times(time)) {
    ways.push_back(digits);
    ways.push_back((digits.starts_with("1:") ? "l'" : "le ") + digits);
  }
  return ways;
}

Ways other_dates(const Date& value) {
  const std::string words = date(value);
  const std::string day = fmt::format("{} {}{}", value.day, kMonths[value.month],
                                      value.year == 0 ? "" : fmt::format(" {}", value.year));
  const bool vowel = value.day == 8 || value.day == 11;
  return {words.substr(vowel ? 2 : 3), day, (vowel ? "l'" : "il ") + day};
}

}  // namespace

const Language kItalian = {"it", "Italian",     number,       price,       time,
                           date, other_numbers, other_prices, other_times, other_dates};

}  // namespace yona::builtin
