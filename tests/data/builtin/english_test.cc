// English: hand-written answers, and every number up to a hundred thousand read back.

#include <algorithm>
#include <map>
#include <sstream>

#include "tests/data/builtin/said.h"

namespace yona::builtin {
namespace {

TEST(English, SaysNumbersAsInBritain) {
  expect_said("en", {
                        {Number{0}, "zero"},
                        {Number{1}, "one"},
                        {Number{8}, "eight"},
                        {Number{12}, "twelve"},
                        {Number{13}, "thirteen"},
                        {Number{14}, "fourteen"},
                        {Number{15}, "fifteen"},
                        {Number{18}, "eighteen"},
                        {Number{20}, "twenty"},
                        {Number{21}, "twenty-one"},
                        {Number{40}, "forty"},
                        {Number{44}, "forty-four"},
                        {Number{90}, "ninety"},
                        {Number{99}, "ninety-nine"},
                        {Number{100}, "one hundred"},
                        {Number{101}, "one hundred and one"},
                        {Number{110}, "one hundred and ten"},
                        {Number{999}, "nine hundred and ninety-nine"},
                        {Number{1000}, "one thousand"},
                        {Number{1001}, "one thousand and one"},
                        {Number{1080}, "one thousand and eighty"},
                        {Number{1100}, "one thousand one hundred"},
                        {Number{2305}, "two thousand three hundred and five"},
                        {Number{47047}, "forty-seven thousand and forty-seven"},
                        {Number{100000}, "one hundred thousand"},
                        {Number{101101}, "one hundred and one thousand one hundred and one"},
                        {Number{1000000}, "one million"},
                        {Number{1000007}, "one million and seven"},
                        {Number{2100000}, "two million one hundred thousand"},
                        {Number{300020010}, "three hundred million twenty thousand and ten"},
                        {Number{999999999},
                         "nine hundred and ninety-nine million nine hundred and ninety-nine "
                         "thousand nine hundred and ninety-nine"},
                    });
}

TEST(English, CountsEurosAndCents) {
  expect_said("en", {
                        {Price{3, 40}, "three euros and forty cents"},
                        {Price{1, 0}, "one euro"},
                        {Price{1, 1}, "one euro and one cent"},
                        {Price{0, 1}, "one cent"},
                        {Price{0, 99}, "ninety-nine cents"},
                        {Price{101, 0}, "one hundred and one euros"},
                        {Price{250, 5}, "two hundred and fifty euros and five cents"},
                    });
}

TEST(English, TellsTheTimePastAndToTheHour) {
  expect_said("en", {
                        {Time{3, 0}, "three o'clock"},
                        {Time{12, 0}, "twelve o'clock"},
                        {Time{3, 1}, "one minute past three"},
                        {Time{3, 5}, "five past three"},
                        {Time{3, 15}, "quarter past three"},
                        {Time{3, 22}, "twenty-two minutes past three"},
                        {Time{3, 25}, "twenty-five past three"},
                        {Time{3, 30}, "half past three"},
                        {Time{3, 31}, "twenty-nine minutes to four"},
                        {Time{3, 35}, "twenty-five to four"},
                        {Time{3, 40}, "twenty to four"},
                        {Time{3, 45}, "quarter to four"},
                        {Time{12, 55}, "five to one"},
                        {Time{11, 59}, "one minute to twelve"},
                    });
}

TEST(English, NamesDatesWithOrdinals) {
  expect_said("en", {
                        {Date{1, 3}, "the first of March"},
                        {Date{2, 1}, "the second of January"},
                        {Date{3, 2}, "the third of February"},
                        {Date{5, 8}, "the fifth of August"},
                        {Date{8, 11}, "the eighth of November"},
                        {Date{9, 9}, "the ninth of September"},
                        {Date{12, 12}, "the twelfth of December"},
                        {Date{20, 7}, "the twentieth of July"},
                        {Date{21, 3}, "the twenty-first of March"},
                        {Date{30, 4}, "the thirtieth of April"},
                        {Date{31, 10}, "the thirty-first of October"},
                        {Date{21, 3, 1995}, "the twenty-first of March nineteen ninety-five"},
                        {Date{1, 1, 1900}, "the first of January nineteen hundred"},
                        {Date{1, 1, 1905}, "the first of January nineteen oh five"},
                        {Date{1, 1, 2000}, "the first of January two thousand"},
                        {Date{1, 1, 2005}, "the first of January two thousand and five"},
                        {Date{1, 1, 2010}, "the first of January twenty ten"},
                        {Date{29, 2, 2024}, "the twenty-ninth of February twenty twenty-four"},
                    });
}

// Reads words from left to right: units add up, "hundred" multiplies what was read since the last
// "thousand" or "million", and those two close a group.
int english_value(std::string words) {
  static const std::map<std::string, int> kWords = {
      {"zero", 0},     {"one", 1},      {"two", 2},        {"three", 3},     {"four", 4},
      {"five", 5},     {"six", 6},      {"seven", 7},      {"eight", 8},     {"nine", 9},
      {"ten", 10},     {"eleven", 11},  {"twelve", 12},    {"thirteen", 13}, {"fourteen", 14},
      {"fifteen", 15}, {"sixteen", 16}, {"seventeen", 17}, {"eighteen", 18}, {"nineteen", 19},
      {"twenty", 20},  {"thirty", 30},  {"forty", 40},     {"fifty", 50},    {"sixty", 60},
      {"seventy", 70}, {"eighty", 80},  {"ninety", 90}};
  std::replace(words.begin(), words.end(), '-', ' ');
  std::istringstream stream(words);
  int total = 0;
  int group = 0;
  for (std::string word; stream >> word;) {
    if (word == "hundred") {
      group *= 100;
    } else if (word == "thousand" || word == "million") {
      total += group * (word == "thousand" ? 1000 : 1'000'000);
      group = 0;
    } else if (word != "and") {
      group += kWords.at(word);
    }
  }
  return total + group;
}

TEST(English, NumbersReadBackAsThemselves) {
  for (int value = 0; value <= 100'000; ++value) {
    ASSERT_EQ(english_value(say(Number{value}, "en")), value);
  }
  for (int value = 100'000; value <= kLargestNumber - 9973; value += 9973) {
    ASSERT_EQ(english_value(say(Number{value}, "en")), value);
  }
}

TEST(English, IsWrittenInSeveralWays) {
  expect_written(
      "en", {
                {Time{7, 15},
                 {"quarter past seven", "a quarter past seven", "seven fifteen",
                  "a quarter after seven", "7:15", "07:15", "19:15"}},
                {Time{6, 45},
                 {"quarter to seven", "a quarter to seven", "six forty-five", "six forty five"}},
                {Time{5, 50}, {"ten to six", "ten minutes to six", "five fifty"}},
                {Time{3, 7}, {"seven past three", "seven minutes past three", "three oh seven"}},
                {Time{3, 30}, {"half past three", "three thirty", "15:30"}},
                {Time{12, 0}, {"twelve o'clock", "twelve o’clock", "12 o'clock", "0:00"}},
                {Number{1105},
                 {"one thousand one hundred and five", "a thousand one hundred and five",
                  "one thousand one hundred five"}},
                {Number{21}, {"twenty one", "21"}},
                {Price{3, 40},
                 {"three euros forty", "three euros and forty", "three euros forty cents", "€3.40",
                  "3.40 euros"}},
                {Price{0, 1}, {"one cent", "1 cent"}},
                {Date{21, 3},
                 {"March the twenty-first", "March twenty first", "twenty-first of March",
                  "21 March", "March 21", "21st of March", "March 21st"}},
                {Date{1, 5, 1995}, {"the 1st of May 1995", "May 1, 1995"}},
            });
}

}  // namespace
}  // namespace yona::builtin
