// German: hand-written answers, and every number up to a hundred thousand read back.

#include <map>

#include "tests/data/builtin/said.h"

namespace yona::builtin {
namespace {

TEST(German, WritesNumbersBelowAMillionInOneWord) {
  expect_said("de",
              {
                  {Number{0}, "null"},
                  {Number{1}, "eins"},
                  {Number{6}, "sechs"},
                  {Number{12}, "zwölf"},
                  {Number{16}, "sechzehn"},
                  {Number{17}, "siebzehn"},
                  {Number{20}, "zwanzig"},
                  {Number{21}, "einundzwanzig"},
                  {Number{30}, "dreißig"},
                  {Number{66}, "sechsundsechzig"},
                  {Number{77}, "siebenundsiebzig"},
                  {Number{100}, "einhundert"},
                  {Number{101}, "einhunderteins"},
                  {Number{111}, "einhundertelf"},
                  {Number{121}, "einhunderteinundzwanzig"},
                  {Number{200}, "zweihundert"},
                  {Number{1000}, "eintausend"},
                  {Number{1001}, "eintausendeins"},
                  {Number{1100}, "eintausendeinhundert"},
                  {Number{2022}, "zweitausendzweiundzwanzig"},
                  {Number{21000}, "einundzwanzigtausend"},
                  {Number{99999}, "neunundneunzigtausendneunhundertneunundneunzig"},
                  {Number{101000}, "einhunderteintausend"},
                  {Number{345678}, "dreihundertfünfundvierzigtausendsechshundertachtundsiebzig"},
              });
}

TEST(German, KeepsMillionsApart) {
  expect_said("de", {
                        {Number{1000000}, "eine Million"},
                        {Number{1000001}, "eine Million eins"},
                        {Number{2000000}, "zwei Millionen"},
                        {Number{21000000}, "einundzwanzig Millionen"},
                        {Number{101000000}, "einhunderteine Millionen"},
                        {Number{1201000}, "eine Million zweihunderteintausend"},
                        {Number{3000100}, "drei Millionen einhundert"},
                    });
}

TEST(German, LeavesCentUnsaidAfterEuro) {
  expect_said("de", {
                        {Price{3, 40}, "drei Euro vierzig"},
                        {Price{1, 0}, "ein Euro"},
                        {Price{1, 1}, "ein Euro eins"},
                        {Price{0, 1}, "ein Cent"},
                        {Price{0, 21}, "einundzwanzig Cent"},
                        {Price{1, 99}, "ein Euro neunundneunzig"},
                        {Price{101, 0}, "einhundertein Euro"},
                        {Price{212, 5}, "zweihundertzwölf Euro fünf"},
                    });
}

TEST(German, TellsTheTimeAroundTheHalfHour) {
  expect_said("de", {
                        {Time{3, 0}, "drei Uhr"},
                        {Time{1, 0}, "ein Uhr"},
                        {Time{1, 5}, "fünf nach eins"},
                        {Time{3, 1}, "eine Minute nach drei"},
                        {Time{3, 7}, "sieben Minuten nach drei"},
                        {Time{3, 15}, "Viertel nach drei"},
                        {Time{3, 20}, "zwanzig nach drei"},
                        {Time{3, 21}, "neun Minuten vor halb vier"},
                        {Time{3, 25}, "fünf vor halb vier"},
                        {Time{3, 29}, "eine Minute vor halb vier"},
                        {Time{3, 30}, "halb vier"},
                        {Time{12, 30}, "halb eins"},
                        {Time{3, 31}, "eine Minute nach halb vier"},
                        {Time{3, 35}, "fünf nach halb vier"},
                        {Time{3, 40}, "zwanzig vor vier"},
                        {Time{3, 41}, "neunzehn Minuten vor vier"},
                        {Time{3, 45}, "Viertel vor vier"},
                        {Time{12, 55}, "fünf vor eins"},
                        {Time{11, 59}, "eine Minute vor zwölf"},
                    });
}

TEST(German, NamesDatesWithOrdinals) {
  expect_said("de", {
                        {Date{1, 1}, "der erste Januar"},
                        {Date{2, 2}, "der zweite Februar"},
                        {Date{3, 10}, "der dritte Oktober"},
                        {Date{4, 5}, "der vierte Mai"},
                        {Date{7, 7}, "der siebte Juli"},
                        {Date{8, 12}, "der achte Dezember"},
                        {Date{16, 6}, "der sechzehnte Juni"},
                        {Date{19, 4}, "der neunzehnte April"},
                        {Date{20, 8}, "der zwanzigste August"},
                        {Date{21, 3}, "der einundzwanzigste März"},
                        {Date{30, 9}, "der dreißigste September"},
                        {Date{31, 12}, "der einunddreißigste Dezember"},
                        {Date{9, 11, 1989}, "der neunte November neunzehnhundertneunundachtzig"},
                        {Date{1, 1, 1900}, "der erste Januar neunzehnhundert"},
                        {Date{1, 1, 1901}, "der erste Januar neunzehnhunderteins"},
                        {Date{1, 1, 2000}, "der erste Januar zweitausend"},
                        {Date{1, 1, 2005}, "der erste Januar zweitausendfünf"},
                        {Date{24, 2, 2016}, "der vierundzwanzigste Februar zweitausendsechzehn"},
                    });
}

// Splits at "tausend" and "hundert", then at "und": siebenundvierzig is seven and forty.
int german_value(const std::string& word) {
  static const std::map<std::string, int> kWords = {
      {"null", 0},      {"ein", 1},       {"eins", 1},      {"eine", 1},      {"zwei", 2},
      {"drei", 3},      {"vier", 4},      {"fünf", 5},      {"sechs", 6},     {"sieben", 7},
      {"acht", 8},      {"neun", 9},      {"zehn", 10},     {"elf", 11},      {"zwölf", 12},
      {"dreizehn", 13}, {"vierzehn", 14}, {"fünfzehn", 15}, {"sechzehn", 16}, {"siebzehn", 17},
      {"achtzehn", 18}, {"neunzehn", 19}, {"zwanzig", 20},  {"dreißig", 30},  {"vierzig", 40},
      {"fünfzig", 50},  {"sechzig", 60},  {"siebzig", 70},  {"achtzig", 80},  {"neunzig", 90},
      {"", 0}};
  struct Joint {
    std::string text;
    int factor;
  };
  for (const Joint& joint : {Joint{" Millionen", 1'000'000}, Joint{" Million", 1'000'000},
                             Joint{"tausend", 1000}, Joint{"hundert", 100}}) {
    if (const std::size_t at = word.find(joint.text); at != std::string::npos) {
      std::string rest = word.substr(at + joint.text.size());
      rest.erase(0, rest.starts_with(' ') ? 1 : 0);
      return german_value(word.substr(0, at)) * joint.factor + german_value(rest);
    }
  }
  if (const std::size_t at = word.find("und"); at != std::string::npos) {
    return kWords.at(word.substr(0, at)) + kWords.at(word.substr(at + 3));
  }
  return kWords.at(word);
}

TEST(German, NumbersReadBackAsThemselves) {
  for (int value = 0; value <= 100'000; ++value) {
    ASSERT_EQ(german_value(say(Number{value}, "de")), value);
  }
  for (int value = 100'000; value <= kLargestNumber - 9973; value += 9973) {
    ASSERT_EQ(german_value(say(Number{value}, "de")), value);
  }
}

TEST(German, IsWrittenInSeveralWays) {
  expect_written(
      "de", {
                {Time{7, 15},
                 {"Viertel nach sieben", "fünfzehn nach sieben", "sieben Uhr fünfzehn", "7:15",
                  "7:15 Uhr", "7.15 Uhr", "19 Uhr 15"}},
                {Time{3, 25},
                 {"fünf vor halb vier", "fünf Minuten vor halb vier", "drei Uhr fünfundzwanzig"}},
                {Time{3, 38}, {"acht nach halb vier", "acht Minuten nach halb vier"}},
                {Time{3, 59}, {"eins vor vier", "eine Minute vor vier"}},
                {Time{1, 0}, {"ein Uhr", "1 Uhr", "13 Uhr"}},
                {Number{1105}, {"eintausendeinhundertfünf", "tausendeinhundertfünf"}},
                {Price{3, 40},
                 {"drei Euro vierzig", "drei Euro und vierzig Cent", "3,40 Euro", "3,40 €"}},
                {Date{1, 5}, {"der erste Mai", "erster Mai", "erste Mai", "1. Mai", "der 1. Mai"}},
            });
}

}  // namespace
}  // namespace yona::builtin
