// What holds for every language: different items read differently, and all of it is clean text.

#include "yona/data/builtin/language.h"

#include <unordered_set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

namespace yona::builtin {
namespace {

// Strict UTF-8, without the over-long forms, surrogates and values beyond Unicode's end.
bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if ((lead >= 0x80 && lead < 0xC2) || lead > 0xF4 || at + length > text.size()) {
      return false;
    }
    unsigned code = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t next = 1; next < length; ++next) {
      const auto byte = static_cast<unsigned char>(text[at + next]);
      if ((byte & 0xC0U) != 0x80U) {
        return false;
      }
      code = code << 6U | (byte & 0x3FU);
    }
    if ((length == 3 && code < 0x800) || (length == 4 && (code < 0x10000 || code > 0x10FFFF)) ||
        (code >= 0xD800 && code < 0xE000)) {
      return false;
    }
    at += length;
  }
  return true;
}

bool is_clean(const std::string& words) {
  return !words.empty() && is_utf8(words) && words.front() != ' ' && words.back() != ' ' &&
         words.find("  ") == std::string::npos &&
         words.find_first_of("\t\r\n") == std::string::npos;
}

std::vector<Item> numbers_and_prices() {
  std::vector<Item> items;
  for (int value = 0; value <= 100'000; ++value) {
    items.emplace_back(Number{value});
  }
  for (int value = 100'000; value < kLargestNumber - 99991;) {
    items.emplace_back(Number{value += 99991});
  }
  for (int value = 1; value < 100'000; ++value) {
    items.emplace_back(Price{value / 100, value % 100});
  }
  return items;
}

std::vector<Item> times_and_dates() {
  std::vector<Item> items;
  for (int hour = 1; hour <= 12; ++hour) {
    for (int minute = 0; minute < 60; ++minute) {
      items.emplace_back(Time{hour, minute});
    }
  }
  for (int year = kFirstYear - 1; year <= kLastYear; ++year) {
    for (int month = 1; month <= 12; ++month) {
      const int said = year < kFirstYear ? 0 : year;
      for (int day = 1; day <= days_in(month, said); ++day) {
        items.emplace_back(Date{day, month, said});
      }
    }
  }
  return items;
}

TEST(Languages, SayDifferentItemsDifferentlyInCleanText) {
  std::vector<Item> items = numbers_and_prices();
  const std::vector<Item> more = times_and_dates();
  items.insert(items.end(), more.begin(), more.end());
  ASSERT_GT(items.size(), 280'000U);
  for (const std::string_view code : languages()) {
    std::unordered_set<std::string> seen;
    seen.reserve(items.size());
    for (const Item& item : items) {
      const std::string words = say(item, code);
      ASSERT_TRUE(is_clean(words)) << code << ": '" << words << "'";
      ASSERT_TRUE(seen.insert(words).second) << code << ": '" << words << "' has two meanings";
    }
  }
}

TEST(Languages, GiveEachWayToWriteAnItemOnceAndToOneItemAlone) {
  std::vector<Item> items = times_and_dates();
  for (int value = 1; value < 100'000; ++value) {
    if (value < 3000 || value % 17 == 0) {
      items.emplace_back(Number{value});
      items.emplace_back(Price{value / 100, value % 100});
    }
  }
  for (const std::string_view code : languages()) {
    std::unordered_set<std::string> seen;
    for (const Item& item : items) {
      const Ways ways = ways_to_say(item, code);
      ASSERT_EQ(ways.front(), say(item, code));
      for (const std::string& way : ways) {
        ASSERT_TRUE(is_clean(way)) << code << ": '" << way << "'";
        ASSERT_TRUE(seen.insert(way).second) << code << ": '" << way << "' has two meanings";
      }
    }
  }
  EXPECT_THROW(ways_to_say(Number{-1}, "en"), InvalidArgument);
  EXPECT_THROW(ways_to_say(Number{1}, "tlh"), InvalidArgument);
}

TEST(Languages, AreSixWithDistinctCodes) {
  EXPECT_THAT(languages(), testing::ElementsAre("en", "de", "fr", "es", "it", "zh"));
  EXPECT_EQ(language("zh").name, "Chinese");
}

TEST(Languages, RefuseAnUnknownCodeListingTheKnownOnes) {
  try {
    say(Number{1}, "tlh");
    FAIL() << "said it in Klingon";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "built-in data: unknown language 'tlh'; choose one of en (English), de (German), "
                 "fr (French), es (Spanish), it (Italian), zh (Chinese)");
  }
  EXPECT_THROW(language(""), InvalidArgument);
  EXPECT_THROW(language("EN"), InvalidArgument);
}

std::string refusal(const Item& item) {
  try {
    return say(item, "en");
  } catch (const InvalidArgument& error) {
    return error.what();
  }
}

TEST(Languages, RefuseAnItemOutOfRangeSayingTheRange) {
  EXPECT_EQ(refusal(Number{-1}),
            "built-in data: this number does not exist; numbers go from 0 to 999,999,999");
  EXPECT_EQ(refusal(Price{0, 0}),
            "built-in data: this price does not exist; prices go from 1 cent to 999 euros and 99 "
            "cents");
  EXPECT_EQ(refusal(Time{25, 0}),
            "built-in data: this time does not exist; hours go from 1 to 12, minutes from 0 to 59");
  EXPECT_EQ(refusal(Date{31, 2}),
            "built-in data: this date does not exist; days must exist in their month, years go "
            "from 1900 to 2099 (0: none)");
}

}  // namespace
}  // namespace yona::builtin
