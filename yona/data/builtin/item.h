// What the built-in data is about, independent of language: a number, a price, a time of day or a
// date. language.h puts an item into words, split.h decides whether it is kept for testing, and
// generator.h draws items.
#pragma once

#include <string_view>
#include <variant>

namespace yona::builtin {

struct Number {
  int value = 0;  // 0 … 999,999,999
  bool operator==(const Number&) const = default;
};

struct Price {    // more than nothing
  int euros = 0;  // 0 … 999
  int cents = 0;  // 0 … 99
  bool operator==(const Price&) const = default;
};

struct Time {      // on the clock's face: morning and evening are the same
  int hour = 12;   // 1 … 12
  int minute = 0;  // 0 … 59
  bool operator==(const Time&) const = default;
};

struct Date {
  int day = 1;    // of the month; the 29th of February exists in a leap year and without a year
  int month = 1;  // 1 … 12
  int year = 0;   // 1900 … 2099, or 0: none is said
  bool operator==(const Date&) const = default;
};

using Item = std::variant<Number, Price, Time, Date>;

enum class Kind { number, price, time, date };  // in the order of Item's alternatives

inline constexpr int kLargestNumber = 999'999'999;
inline constexpr int kFirstYear = 1900;
inline constexpr int kLastYear = 2099;

Kind kind_of(const Item& item);
std::string_view name_of(Kind kind);  // "number", "price", "time", "date"

// Days of a month; February has 29 when year is 0.
int days_in(int month, int year);

// Whether every field is within the range given above.
bool is_valid(const Item& item);

}  // namespace yona::builtin
