// The languages of the built-in data. Each is one file (english.cc, german.cc …) that fills in a
// Language; the conventions chosen where a language has several right ways are listed in
// docs/built-in-data.md. To add a language, write its file and name it here and in language.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yona/data/builtin/item.h"

namespace yona::builtin {

using Ways = std::vector<std::string>;

// How one language says each kind of item, and other ways in which people write it. The functions
// trust their argument to be valid; other ways may be given twice.
struct Language {
  std::string_view code;  // ISO 639-1
  std::string_view name;  // in English
  std::string (*number)(const Number&);
  std::string (*price)(const Price&);
  std::string (*time)(const Time&);
  std::string (*date)(const Date&);
  Ways (*other_numbers)(const Number&);
  Ways (*other_prices)(const Price&);
  Ways (*other_times)(const Time&);
  Ways (*other_dates)(const Date&);
};

extern const Language kEnglish;
extern const Language kGerman;
extern const Language kFrench;
extern const Language kSpanish;
extern const Language kItalian;
extern const Language kChinese;

// The codes of all languages: "en", "de", "fr", "es", "it", "zh".
std::vector<std::string_view> languages();

// Throws InvalidArgument, listing the codes there are, when no language has this code.
const Language& language(std::string_view code);

// The item in words: UTF-8 in Unicode's composed form, one canonical rendering per language, and
// different items always read differently. Throws InvalidArgument for an unknown language or an
// item out of range.
std::string say(const Item& item, std::string_view language);

// What people may write for the item, each way once: say() first, then other wordings ("a quarter
// past seven", "seven fifteen") and digits ("7:15"). No two items of a language share one. Throws
// as say().
Ways ways_to_say(const Item& item, std::string_view language);

// The hour that follows on the clock's face: many languages count the minutes that are left to it.
constexpr int next_hour(int hour) { return hour % 12 + 1; }

}  // namespace yona::builtin
