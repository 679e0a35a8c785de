// The split by itself: its size at every place, and what stays for training.

#include "yona/data/builtin/split.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yona::builtin {
namespace {

constexpr std::array<Place, 6> kDigitPlaces = {
    Place::last_digits, Place::thousands, Place::millions, Place::euros, Place::cents, Place::year};

std::vector<Combination> all_at(Place place) {
  std::vector<Combination> all;
  if (place == Place::time || place == Place::date) {
    for (int first = 1; first <= 12; ++first) {
      const int low = place == Place::time ? 0 : 1;
      const int high = place == Place::time ? 59 : days_in(first, 0);
      for (int second = low; second <= high; ++second) {
        all.push_back({place, first, second});
      }
    }
    return all;
  }
  for (int ten = 2; ten <= 9; ++ten) {
    for (int unit = 1; unit <= 9; ++unit) {
      all.push_back({place, ten, unit});
    }
  }
  return all;
}

std::vector<Place> places() {
  std::vector<Place> all(kDigitPlaces.begin(), kDigitPlaces.end());
  all.push_back(Place::time);
  all.push_back(Place::date);
  return all;
}

TEST(Split, HoldsOutAboutAnEighthOfTheCombinationsAtEveryPlace) {
  for (const Place place : places()) {
    const std::vector<Combination> all = all_at(place);
    const auto out =
        std::count_if(all.begin(), all.end(), [](const Combination& one) { return held_out(one); });
    const double share = static_cast<double>(out) / static_cast<double>(all.size());
    EXPECT_GE(share, 0.11) << static_cast<int>(place);
    EXPECT_LE(share, 0.14) << static_cast<int>(place);
  }
}

TEST(Split, LeavesEveryPartMostOfItsPartnersForTraining) {
  for (const Place place : places()) {
    std::map<int, int> out_of_first;
    std::map<int, int> out_of_second;
    std::map<int, int> partners_of_first;
    std::map<int, int> partners_of_second;
    for (const Combination& one : all_at(place)) {
      out_of_first[one.first] += held_out(one) ? 1 : 0;
      out_of_second[one.second] += held_out(one) ? 1 : 0;
      ++partners_of_first[one.first];
      ++partners_of_second[one.second];
    }
    for (const auto& [part, partners] : partners_of_first) {
      EXPECT_LE(2 * out_of_first[part], partners) << static_cast<int>(place) << ' ' << part;
    }
    for (const auto& [part, partners] : partners_of_second) {
      EXPECT_LE(2 * out_of_second[part], partners) << static_cast<int>(place) << ' ' << part;
    }
  }
}

TEST(Split, HoldsOutDifferentPairsAtDifferentPlaces) {
  std::vector<std::string> patterns;
  for (const Place place : kDigitPlaces) {
    std::string pattern;
    for (const Combination& one : all_at(place)) {
      pattern += held_out(one) ? '1' : '0';
    }
    EXPECT_THAT(patterns, testing::Not(testing::Contains(pattern)));
    patterns.push_back(pattern);
  }
}

TEST(Split, FindsCombinationsAtTheirPlaces) {
  using testing::ElementsAre;
  using testing::IsEmpty;
  EXPECT_THAT(combinations(Number{147'000'025}), ElementsAre(Combination{Place::last_digits, 2, 5},
                                                             Combination{Place::millions, 4, 7}));
  EXPECT_THAT(combinations(Number{31'047}), ElementsAre(Combination{Place::last_digits, 4, 7},
                                                        Combination{Place::thousands, 3, 1}));
  EXPECT_THAT(combinations(Price{121, 99}),
              ElementsAre(Combination{Place::euros, 2, 1}, Combination{Place::cents, 9, 9}));
  EXPECT_THAT(combinations(Time{3, 30}), ElementsAre(Combination{Place::time, 3, 30}));
  EXPECT_THAT(combinations(Date{21, 3, 1995}),
              ElementsAre(Combination{Place::date, 3, 21}, Combination{Place::year, 9, 5}));
  EXPECT_THAT(combinations(Number{0}), IsEmpty());
  EXPECT_THAT(combinations(Number{317'020}), IsEmpty());
  EXPECT_THAT(combinations(Price{5, 10}), IsEmpty());
}

TEST(Split, KeepsOneOClockForTrainingBecauseOfItsOwnGermanForm) {
  EXPECT_FALSE(held_out(Time{1, 0}));  // "ein Uhr"; elsewhere the hour is "eins"
}

// These pairs are published; a change here is a change of the task.
TEST(Split, StaysAsPublished) {
  std::string held;
  for (const Combination& one : all_at(Place::last_digits)) {
    held += held_out(one) ? fmt::format("{}{} ", one.first, one.second) : "";
  }
  EXPECT_EQ(held, "44 48 54 55 62 63 64 92 97 ");
  EXPECT_FALSE(held_out(Number{5}));
  EXPECT_FALSE(held_out(Number{317'020}));
}

}  // namespace
}  // namespace yona::builtin
