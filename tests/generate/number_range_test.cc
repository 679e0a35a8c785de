#include "yona/generate/number_range.h"

#include <gtest/gtest.h>

#include "yona/generate/regex.h"

#include "tests/generate/grammar_match.h"

namespace yona {
namespace {

TEST(NumberRange, HasExactlyTheIntegersWithinTheBounds) {
  const std::vector<NumberBounds> cases{
      {.least = 0, .most = 9},
      {.least = -3, .most = 5},
      {.least = 7, .most = 1234},
      {.least = -1100, .most = -98},
      {.least = 99, .most = 101},
      {.least = 5, .most = 5},
      {.least = -10, .most = 10, .is_least_excluded = true, .is_most_excluded = true},
      {.least = 1000, .most = 1999},
      {.least = -2000, .most = 2000}};
  for (const NumberBounds& bounds : cases) {
    GrammarMachine machine(regex_grammar(*integer_range_regex(bounds)));
    for (std::int64_t i = -2100; i <= 2100; ++i) {
      const bool is_within = (bounds.is_least_excluded ? i > bounds.least : i >= bounds.least) &&
                             (bounds.is_most_excluded ? i < bounds.most : i <= bounds.most);
      EXPECT_EQ(matches(machine, std::to_string(i)), is_within)
          << i << " in " << bounds.least << " to " << bounds.most;
    }
    EXPECT_FALSE(matches(machine, "007"));
  }
}

TEST(NumberRange, NumbersWithAFractionAreWithinTheBounds) {
  for (const bool is_excluded : {false, true}) {
    for (const auto& [least, most] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {-2, 3}, {0, 1}, {2, 12}, {-12, -2}, {-5, 0}}) {
      const NumberBounds bounds{least, most, is_excluded, is_excluded};
      GrammarMachine machine(regex_grammar(*number_range_regex(bounds)));
      for (int i = -1300; i <= 1300; ++i) {
        const double value = i / 100.0;
        const auto low = static_cast<double>(least), high = static_cast<double>(most);
        const bool is_within =
            is_excluded ? value > low && value < high : value >= low && value <= high;
        char text[32];
        std::snprintf(text, sizeof text, "%.2f", value);
        EXPECT_EQ(matches(machine, text), is_within) << text << " in " << least << " to " << most;
      }
    }
  }
}

TEST(NumberRange, WithoutANumberThereIsNoExpression) {
  EXPECT_FALSE(integer_range_regex({.least = 3, .most = 2}).has_value());
  EXPECT_FALSE(integer_range_regex(
                   {.least = 3, .most = 4, .is_least_excluded = true, .is_most_excluded = true})
                   .has_value());
  EXPECT_FALSE(number_range_regex({.least = 3, .most = 3, .is_least_excluded = true}).has_value());
}

TEST(NumberRange, OneSidedBoundsReachTheLargestNumberThatIsWritten) {
  GrammarMachine machine(regex_grammar(*integer_range_regex({.least = 18})));
  EXPECT_TRUE(matches(machine, "18"));
  EXPECT_TRUE(matches(machine, "9999999999999999"));
  EXPECT_FALSE(matches(machine, "17"));
  EXPECT_FALSE(matches(machine, "-18"));
}

}  // namespace
}  // namespace yona
