// Kinds and ranges of items.

#include "yona/data/builtin/item.h"

#include <array>
#include <cstddef>
#include <type_traits>

namespace yona::builtin {
namespace {

template <Kind kKind>
using Meaning = std::variant_alternative_t<static_cast<std::size_t>(kKind), Item>;

bool within(int value, int low, int high) { return low <= value && value <= high; }

bool valid(const Number& number) { return within(number.value, 0, kLargestNumber); }

bool valid(const Price& price) {
  return within(price.euros, 0, 999) && within(price.cents, 0, 99) && price.euros + price.cents > 0;
}

bool valid(const Time& time) { return within(time.hour, 1, 12) && within(time.minute, 0, 59); }

bool valid(const Date& date) {
  return (date.year == 0 || within(date.year, kFirstYear, kLastYear)) &&
         within(date.month, 1, 12) && within(date.day, 1, days_in(date.month, date.year));
}

}  // namespace

Kind kind_of(const Item& item) {
  static_assert(std::is_same_v<Meaning<Kind::number>, Number>);
  static_assert(std::is_same_v<Meaning<Kind::price>, Price>);
  static_assert(std::is_same_v<Meaning<Kind::time>, Time>);
  static_assert(std::is_same_v<Meaning<Kind::date>, Date>);
  return static_cast<Kind>(item.index());
}

std::string_view name_of(Kind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"number", "price", "time", "date"};
  return kNames[static_cast<std::size_t>(kind)];
}

int days_in(int month, int year) {
  constexpr std::array<int, 12> kDays = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);  // year 0 is one
  return month == 2 && !leap ? 28 : kDays[static_cast<std::size_t>(month - 1)];
}

bool is_valid(const Item& item) {
  return std::visit([](const auto& meaning) { return valid(meaning); }, item);
}

}  // namespace yona::builtin
