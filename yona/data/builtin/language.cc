// The table of languages, and say(), the door to them.

#include "yona/data/builtin/language.h"

#include <algorithm>
#include <array>

#include "yona/base/error.h"

namespace yona::builtin {
namespace {

constexpr std::array<const Language*, 6> kLanguages = {&kEnglish, &kGerman,  &kFrench,
                                                       &kSpanish, &kItalian, &kChinese};

// What say() accepts, by kind.
constexpr std::array<std::string_view, 4> kRanges = {
    "numbers go from 0 to 999,999,999", "prices go from 1 cent to 999 euros and 99 cents",
    "hours go from 1 to 12, minutes from 0 to 59",
    "days must exist in their month, years go from 1900 to 2099 (0: none)"};

struct Speaker {
  const Language& in;
  std::string operator()(const Number& number) const { return in.number(number); }
  std::string operator()(const Price& price) const { return in.price(price); }
  std::string operator()(const Time& time) const { return in.time(time); }
  std::string operator()(const Date& date) const { return in.date(date); }
};

struct Writer {
  const Language& in;
  Ways operator()(const Number& number) const { return in.other_numbers(number); }
  Ways operator()(const Price& price) const { return in.other_prices(price); }
  Ways operator()(const Time& time) const { return in.other_times(time); }
  Ways operator()(const Date& date) const { return in.other_dates(date); }
};

}  // namespace

std::vector<std::string_view> languages() {
  std::vector<std::string_view> codes;
  codes.reserve(std::size(kLanguages));
  for (const Language* known : kLanguages) {
    codes.push_back(known->code);
  }
  return codes;
}

const Language& language(std::string_view code) {
  std::string list;
  for (const Language* known : kLanguages) {
    if (known->code == code) {
      return *known;
    }
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", known->code, known->name);
  }
  fail("built-in data: unknown language '{}'; choose one of {}", code, list);
}

std::string say(const Item& item, std::string_view code) {
  const Language& in = language(code);
  const Kind kind = kind_of(item);
  check(is_valid(item), "built-in data: this {} does not exist; {}", name_of(kind),
        kRanges[static_cast<std::size_t>(kind)]);
  return std::visit(Speaker{in}, item);
}

Ways ways_to_say(const Item& item, std::string_view code) {
  Ways ways = {say(item, code)};
  for (std::string& way : std::visit(Writer{language(code)}, item)) {
    if (std::find(ways.begin(), ways.end(), way) == ways.end()) {
      ways.push_back(std::move(way));
    }
  }
  return ways;
}

}  // namespace yona::builtin
