#include "yona/score/ngrams.h"

#include <map>

#include <gtest/gtest.h>

#include "yona/base/random.h"

namespace yona::testing {
namespace {

using Symbols = std::vector<std::uint32_t>;
using Counts = std::vector<std::int64_t>;

// Counted the plain way: a map of n-grams.
Counts plain_matches(const Symbols& hypothesis, const std::vector<Symbols>& references,
                     std::size_t max_order) {
  const auto count = [](const Symbols& symbols, std::size_t n) {
    std::map<Symbols, std::int64_t> counts;
    for (std::size_t i = 0; i + n <= symbols.size(); ++i) {
      ++counts[Symbols(symbols.begin() + static_cast<std::ptrdiff_t>(i),
                       symbols.begin() + static_cast<std::ptrdiff_t>(i + n))];
    }
    return counts;
  };
  Counts matches;
  for (std::size_t n = 1; n <= max_order; ++n) {
    std::map<Symbols, std::int64_t> most;
    for (const Symbols& reference : references) {
      for (const auto& [ngram, times] : count(reference, n)) {
        most[ngram] = std::max(most[ngram], times);
      }
    }
    std::int64_t total = 0;
    for (const auto& [ngram, times] : count(hypothesis, n)) {
      total += std::min(times, most[ngram]);
    }
    matches.push_back(total);
  }
  return matches;
}

TEST(Ngrams, MatchTheOnesCountedPlainly) {
  RandomSequence random(5);
  const auto draw = [&](std::size_t longest, std::uint32_t symbols) {
    Symbols text(random.below(longest + 1));
    for (std::uint32_t& symbol : text) {
      symbol = static_cast<std::uint32_t>(random.below(symbols));
    }
    return text;
  };
  for (int trial = 0; trial < 300; ++trial) {
    const auto symbols = static_cast<std::uint32_t>(1 + random.below(6));
    const auto order = static_cast<int>(1 + random.below(6));
    const std::vector<Symbols> references{draw(30, symbols), draw(30, symbols), draw(30, symbols)};
    const Symbols hypothesis = draw(40, symbols);
    NgramCounts counts(order);
    for (const Symbols& reference : references) {
      counts.add_reference(reference);
    }
    EXPECT_EQ(counts.matches(hypothesis),
              plain_matches(hypothesis, references, static_cast<std::size_t>(order)));
  }
}

TEST(Ngrams, GrowWithLongTexts) {
  Symbols text(20000);
  for (std::size_t i = 0; i < text.size(); ++i) {
    text[i] = static_cast<std::uint32_t>(i);
  }
  NgramCounts counts(3);
  counts.add_reference(text);
  EXPECT_EQ(counts.matches(text), (Counts{20000, 19999, 19998}));
}

TEST(Ngrams, OfNothingAreNone) {
  NgramCounts counts(2);
  EXPECT_EQ(counts.matches(Symbols{1, 2}), (Counts{0, 0}));
  counts.add_reference(Symbols{});
  EXPECT_EQ(counts.matches(Symbols{}), (Counts{0, 0}));
  EXPECT_EQ(ngram_total(3, 4), 0);
  EXPECT_EQ(ngram_total(4, 4), 1);
}

TEST(Ngrams, NumberWordsByWhatTheySay) {
  WordIds ids;
  EXPECT_EQ(ids({U"a", U"b", U"a"}), (Symbols{0, 1, 0}));
  EXPECT_EQ(ids({U"b", U"c"}), (Symbols{1, 2}));
}

}  // namespace
}  // namespace yona::testing
