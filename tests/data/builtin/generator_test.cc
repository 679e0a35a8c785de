// The streams: reproducible, apart from each other, and complete.

#include "yona/data/builtin/generator.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

namespace yona::builtin {
namespace {

constexpr int kDraws = 200'000;

Options everything() {
  Options options;
  options.largest_number = kLargestNumber;
  options.years = true;
  return options;
}

// The parts of an item, taken apart here once more, independently of the split: a name for the
// place, and the two parts of what stands there.
using Parts = std::tuple<std::string, int, int>;

std::vector<Parts> parts_of(const Item& item) {
  std::vector<Parts> parts;
  const auto digits = [&parts](const std::string& place, int value) {
    parts.emplace_back(place, value % 100 / 10, value % 10);
  };
  if (const auto* number = std::get_if<Number>(&item)) {
    digits("last digits", number->value % 1000);
    digits("thousands", number->value / 1000 % 1000);
    digits("millions", number->value / 1'000'000);
  } else if (const auto* price = std::get_if<Price>(&item)) {
    digits("euros", price->euros);
    digits("cents", price->cents);
  } else if (const auto* time = std::get_if<Time>(&item)) {
    parts.emplace_back("time", time->hour, time->minute);
  } else if (const auto* date = std::get_if<Date>(&item)) {
    parts.emplace_back("date", date->month, date->day);
    if (date->year != 0) {
      digits("year", date->year);
    }
  }
  return parts;
}

std::set<Parts> train_parts(const Options& options) {
  std::set<Parts> seen;
  Generator train(options, Split::train);
  for (int draw = 0; draw < kDraws; ++draw) {
    for (const Parts& parts : parts_of(train.next())) {
      seen.insert(parts);
    }
  }
  return seen;
}

TEST(Generator, PutsIntoEveryTestItemACombinationThatTrainingNeverHas) {
  for (const Options& options : {Options{}, everything()}) {
    const std::set<Parts> seen = train_parts(options);
    Generator test(options, Split::test);
    for (int draw = 0; draw < kDraws / 10; ++draw) {
      const Item item = test.next();
      int unseen = 0;
      for (const Parts& parts : parts_of(item)) {
        unseen += seen.count(parts) == 0 ? 1 : 0;
      }
      ASSERT_GE(unseen, 1) << say(item, "en");
    }
  }
}

TEST(Generator, ShowsEveryPartInTrainingAtItsPlace) {
  std::map<std::string, std::set<int>> first;
  std::map<std::string, std::set<int>> second;
  for (const auto& [place, one, other] : train_parts(everything())) {
    first[place].insert(one);
    second[place].insert(other);
  }
  for (const char* place : {"last digits", "thousands", "millions", "euros", "cents", "year"}) {
    EXPECT_EQ(first[place].size(), 10U) << place;
    EXPECT_EQ(second[place].size(), 10U) << place;
  }
  EXPECT_EQ(first["time"].size(), 12U);
  EXPECT_EQ(second["time"].size(), 60U);
  EXPECT_EQ(first["date"].size(), 12U);
  EXPECT_EQ(second["date"].size(), 31U);
}

TEST(Generator, DrawsWhatHeldOutSays) {
  Generator train(everything(), Split::train);
  Generator test(everything(), Split::test);
  for (int draw = 0; draw < kDraws; ++draw) {
    ASSERT_FALSE(held_out(train.next()));
  }
  for (int draw = 0; draw < kDraws / 10; ++draw) {
    ASSERT_TRUE(held_out(test.next()));
  }
}

TEST(Generator, RepeatsForOneSeedAndDiffersForAnother) {
  Options options;
  options.seed = 7;
  Generator one(options, Split::train);
  Generator same(options, Split::train);
  options.seed = 8;
  Generator other(options, Split::train);
  int differing = 0;
  for (int draw = 0; draw < 1000; ++draw) {
    const Item item = one.next();
    ASSERT_EQ(item, same.next());
    differing += item == other.next() ? 0 : 1;
  }
  EXPECT_GT(differing, 900);
}

TEST(Generator, GoesOnByItselfAfterACopy) {
  Generator original({}, Split::train);
  original.next();
  Generator copy = original;
  EXPECT_EQ(original.next_pair(), copy.next_pair());
}

TEST(Generator, DrawsTheSameItemsWhateverTheLanguages) {
  Options options;
  Generator german(options, Split::test);
  options.source = "zh";
  options.target = "en";
  Generator chinese(options, Split::test);
  for (int draw = 0; draw < 1000; ++draw) {
    ASSERT_EQ(german.next_pair().first, chinese.next_pair().second);
  }
}

TEST(Generator, SpeaksEveryPairOfLanguagesInEveryKindAndSplit) {
  for (const std::string_view source : languages()) {
    for (const std::string_view target : languages()) {
      if (source == target) {
        continue;
      }
      for (const Kind kind : {Kind::number, Kind::price, Kind::time, Kind::date}) {
        Options options = everything();
        options.source = source;
        options.target = target;
        options.kinds = {kind};
        for (const Split split : {Split::train, Split::test}) {
          Generator items(options, split);
          Generator pairs(options, split);
          for (int draw = 0; draw < 50; ++draw) {
            const Item item = items.next();
            ASSERT_EQ(kind_of(item), kind);
            ASSERT_EQ(pairs.next_pair(), std::pair(say(item, source), say(item, target)));
          }
        }
      }
    }
  }
}

TEST(Generator, StaysWithinItsOptions) {
  for (const int largest : {99, 1234, 999'999, kLargestNumber}) {
    Options options;
    options.kinds = {Kind::number, Kind::date};
    options.largest_number = largest;
    for (const Split split : {Split::train, Split::test}) {
      Generator generator(options, split);
      int top = 0;
      for (int draw = 0; draw < 5000; ++draw) {
        const Item item = generator.next();
        if (const auto* number = std::get_if<Number>(&item)) {
          top = std::max(top, number->value);
        } else {
          ASSERT_EQ(std::get<Date>(item).year, 0);
        }
      }
      EXPECT_LE(top, largest);
      EXPECT_GT(top, largest / 2);
    }
  }
}

TEST(Generator, CoversEveryTimeAndDateBetweenItsSplits) {
  Options options;
  options.kinds = {Kind::time, Kind::date};
  std::set<std::string> train;
  std::set<std::string> test;
  Generator train_stream(options, Split::train);
  Generator test_stream(options, Split::test);
  for (int draw = 0; draw < 50'000; ++draw) {
    train.insert(train_stream.next_pair().first);
    test.insert(test_stream.next_pair().first);
  }
  EXPECT_EQ(train.size() + test.size(), 720U + 366U);
}

// What is left of typed words when capital letters and a full stop do not count.
std::string plain(std::string words) {
  for (const std::string_view stop : {".", "。"}) {
    if (words.ends_with(stop)) {
      words.resize(words.size() - stop.size());
    }
  }
  std::transform(words.begin(), words.end(), words.begin(),
                 [](unsigned char letter) { return letter < 128 ? std::tolower(letter) : letter; });
  return words;
}

TEST(Generator, WritesSourcesAsPeopleDoAndTargetsInOneWay) {
  for (const std::string_view source : languages()) {
    Options options;
    options.source = source;
    options.target = source == "en" ? "de" : "en";
    Generator items(options, Split::train);
    options.variants = true;
    Generator pairs(options, Split::train);
    int as_said = 0;
    int capitals = 0;
    int stops = 0;
    for (int draw = 0; draw < 4000; ++draw) {
      const Item item = items.next();
      const auto pair = pairs.next_pair();
      const std::string& words = pair.first;
      ASSERT_EQ(pair.second, say(item, options.target));
      const Ways ways = ways_to_say(item, source);
      ASSERT_TRUE(std::any_of(ways.begin(), ways.end(), [&](const std::string& way) {
        return plain(way) == plain(words);
      })) << words;
      as_said += words == say(item, source) ? 1 : 0;
      capitals += std::isupper(static_cast<unsigned char>(words.front())) ? 1 : 0;
      stops += words.ends_with(".") || words.ends_with("。") ? 1 : 0;
    }
    EXPECT_GT(as_said, 1000) << source;
    EXPECT_LT(as_said, 2500) << source;
    EXPECT_GT(stops, 800) << source;
    EXPECT_TRUE(source == "zh" || capitals > 300) << source;
  }
}

std::string refusal(const Options& options) {
  try {
    Generator(options, Split::train);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Generator, RefusesOptionsThatMakeNoSense) {
  EXPECT_THAT(refusal({.source = "xx"}),
              testing::HasSubstr("unknown language 'xx'; choose one of"));
  EXPECT_THAT(refusal({.target = "yy"}), testing::HasSubstr("unknown language 'yy'"));
  EXPECT_EQ(refusal({.source = "de", .target = "de"}),
            "built-in data: source and target are both 'de'; choose two languages");
  EXPECT_EQ(refusal({.kinds = {}}),
            "built-in data: no kinds of item; choose some of number, price, time, date");
  EXPECT_EQ(refusal({.largest_number = 98}),
            "built-in data: the largest number is 98; choose one from 99 to 999999999");
  EXPECT_THAT(refusal({.largest_number = 1'000'000'000}), testing::HasSubstr("choose one from 99"));
}

}  // namespace
}  // namespace yona::builtin
