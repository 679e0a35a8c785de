// Spanish, as in Spain: "veintiuno" but "treinta y uno", "veintiún mil", "las cuatro menos cuarto".

#include <array>

#include <fmt/format.h>

#include "yona/data/builtin/digits.h"
#include "yona/data/builtin/language.h"

namespace yona::builtin {
namespace {

constexpr std::array<std::string_view, 30> kSmall = {
    "cero",         "uno",         "dos",        "tres",        "cuatro",     "cinco",
    "seis",         "siete",       "ocho",       "nueve",       "diez",       "once",
    "doce",         "trece",       "catorce",    "quince",      "dieciséis",  "diecisiete",
    "dieciocho",    "diecinueve",  "veinte",     "veintiuno",   "veintidós",  "veintitrés",
    "veinticuatro", "veinticinco", "veintiséis", "veintisiete", "veintiocho", "veintinueve"};
constexpr std::array<std::string_view, 10> kTens = {
    "", "", "", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"};
constexpr std::array<std::string_view, 10> kHundreds = {
    "",           "ciento",      "doscientos",  "trescientos", "cuatrocientos",
    "quinientos", "seiscientos", "setecientos", "ochocientos", "novecientos"};
constexpr std::array<std::string_view, 13> kMonths = {
    "",      "enero",  "febrero",    "marzo",   "abril",     "mayo",     "junio",
    "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"};

// A final uno is shortened before what it counts: un euro, veintiún mil, treinta y un minutos.
enum class One { alone, counting };

std::string below_hundred(int n, One one) {
  if (one == One::counting && n % 10 == 1 && n != 11) {
    return n == 1 ? "un" : n == 21 ? "veintiún" : fmt::format("{} y un", kTens[n / 10]);
  }
  if (n < 30) {
    return std::string(kSmall[n]);
  }
  return n % 10 == 0 ? std::string(kTens[n / 10])
                     : fmt::format("{} y {}", kTens[n / 10], kSmall[n % 10]);
}

std::string below_thousand(int n, One one) {
  if (n < 100) {
    return below_hundred(n, one);
  }
  if (n % 100 == 0) {
    return std::string(n == 100 ? "cien" : kHundreds[n / 100]);
  }
  return fmt::format("{} {}", kHundreds[n / 100], below_hundred(n % 100, one));
}

std::string below_million(int n) {
  const int thousands = n / 1000;
  const int rest = n % 1000;
  if (thousands == 0) {
    return below_thousand(rest, One::alone);
  }
  const std::string words =
      thousands == 1 ? "mil" : fmt::format("{} mil", below_thousand(thousands, One::counting));
  return rest == 0 ? words : fmt::format("{} {}", words, below_thousand(rest, One::alone));
}

std::string number(const Number& number) {
  const int millions = number.value / 1'000'000;
  const int rest = number.value % 1'000'000;
  if (millions == 0) {
    return below_million(rest);
  }
  const std::string words = fmt::format("{} {}", below_thousand(millions, One::counting),
                                        millions == 1 ? "millón" : "millones");
  return rest == 0 ? words : fmt::format("{} {}", words, below_million(rest));
}

std::string counted(int n, std::string_view unit) {
  return fmt::format("{} {}{}", below_thousand(n, One::counting), unit, n == 1 ? "" : "s");
}

std::string price(const Price& price) {
  if (price.euros == 0) {
    return counted(price.cents, "céntimo");
  }
  const std::string euros = counted(price.euros, "euro");
  return price.cents == 0 ? euros
                          : fmt::format("{} con {}", euros, counted(price.cents, "céntimo"));
}

std::string hour_words(int hour) {
  return hour == 1 ? "la una" : fmt::format("las {}", kSmall[hour]);
}

std::string minutes(int n) {
  if (n == 15) {
    return "cuarto";
  }
  return n % 5 == 0 ? below_hundred(n, One::alone) : counted(n, "minuto");
}

std::string time(const Time& time) {
  if (time.minute == 0) {
    return hour_words(time.hour);
  }
  if (time.minute == 30) {
    return hour_words(time.hour) + " y media";
  }
  return time.minute < 30 ? fmt::format("{} y {}", hour_words(time.hour), minutes(time.minute))
                          : fmt::format("{} menos {}", hour_words(next_hour(time.hour)),
                                        minutes(60 - time.minute));
}

std::string date(const Date& date) {
  const std::string day =
      fmt::format("el {} de {}", below_hundred(date.day, One::alone), kMonths[date.month]);
  return date.year == 0 ? day : fmt::format("{} de {}", day, below_million(date.year));
}

// ---- other ways ----

Ways other_numbers(const Number& value) { return with_digits({}, value); }

Ways other_prices(const Price& value) {
  if (value.euros == 0) {
    return {fmt::format("{} céntimo{}", value.cents, value.cents == 1 ? "" : "s")};
  }
  Ways ways;
  if (value.euros <= kLargestInDigits) {
    ways = {decimal(value, ",") + " €",
            decimal(value, ",") + (value == Price{1, 0} ? " euro" : " euros")};
  }
  if (value.cents > 0) {
    const std::string euros = counted(value.euros, "euro");
    ways.push_back(fmt::format("{} con {}", euros, below_hundred(value.cents, One::alone)));
    ways.push_back(fmt::format("{} y {}", euros, counted(value.cents, "céntimo")));
  }
  return ways;
}

// Las siete y quince, las siete y siete, with and without the article; 7:15.
Ways other_times(const Time& value) {
  Ways ways;
  const std::string hour = hour_words(value.hour);
  if (value.minute > 0) {
    ways.push_back(fmt::format("{} y {}", hour, below_hundred(value.minute, One::alone)));
    const std::string words = time(value);
    ways.push_back(words.substr(words.find(' ') + 1));
    ways.push_back(ways.front().substr(hour.find(' ') + 1));
  }
  if (value.minute > 30) {
    ways.push_back(fmt::format("{} menos {}", hour_words(next_hour(value.hour)),
                               below_hundred(60 - value.minute, One::alone)));
  }
  for (const std::string& digits : clock_times(value)) {
    ways.push_back(digits);
    ways.push_back((digits.starts_with("1:") ? "la " : "las ") + digits);
  }
  return ways;
}

Ways other_dates(const Date& value) {
  const std::string rest = fmt::format(" de {}", kMonths[value.month]);
  const std::string year = value.year == 0 ? "" : fmt::format(" de {}", value.year);
  Ways ways = {date(value).substr(3), std::to_string(value.day) + rest + year,
               fmt::format("el {}", value.day) + rest + year};
  if (value.day == 1) {
    const std::string words =
        value.year == 0 ? "" : fmt::format(" de {}", below_million(value.year));
    ways.push_back("el primero" + rest + words);
    ways.push_back("primero" + rest + words);
  }
  return ways;
}

}  // namespace

const Language kSpanish = {"es", "Spanish",     number,       price,       time,
                           date, other_numbers, other_prices, other_times, other_dates};

}  // namespace yona::builtin
