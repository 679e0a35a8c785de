#include "yona/score/edit_matrix.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "yona/base/random.h"

namespace yona::testing {
namespace {

using Words = std::vector<std::uint32_t>;

// Levenshtein's recurrence over the whole matrix.
std::int32_t plain_distance(const Words& a, const Words& b) {
  std::vector<std::int32_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = static_cast<std::int32_t>(j);
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::int32_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::int32_t above = row[j + 1];
      row[j + 1] = std::min({diagonal + (a[i] == b[j] ? 0 : 1), above + 1, row[j] + 1});
      diagonal = above;
    }
  }
  return row.back();
}

Words draw(RandomSequence& random, std::size_t length) {
  Words words(length);
  for (std::uint32_t& word : words) {
    word = static_cast<std::uint32_t>(random.below(5));
  }
  return words;
}

TEST(EditMatrix, HasLevenshteinsDistanceWithinTheBand) {
  RandomSequence random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const Words a = draw(random, 1 + random.below(24));
    const Words b = draw(random, random.below(24));
    EXPECT_EQ(EditMatrix(a, b).distance(), plain_distance(a, b));
  }
}

TEST(EditMatrix, ReachesTheCornerWhateverTheLengths) {
  for (const auto& [a, b] : std::vector<std::pair<std::size_t, std::size_t>>{
           {1, 300}, {2, 101}, {3, 150}, {300, 1}, {100, 3}, {7, 350}, {1, 0}, {51, 50}}) {
    const EditMatrix matrix(Words(a, 1), Words(b, 2));
    EXPECT_EQ(matrix.distance(), static_cast<std::int32_t>(std::max(a, b))) << a << " " << b;
  }
}

TEST(EditMatrix, GivesTheDistanceOfChangedWordsAsIfComputedAnew) {
  RandomSequence random(2);
  for (int trial = 0; trial < 500; ++trial) {
    const Words reference = draw(random, 1 + random.below(120));
    const Words words = draw(random, 1 + random.below(120));
    EditMatrix matrix(words, reference);
    Words changed = words;
    const std::size_t first = random.below(words.size());
    const std::size_t last = first + random.below(words.size() - first + 1);
    for (std::size_t i = first; i < last; ++i) {
      changed[i] = static_cast<std::uint32_t>(random.below(5));
    }
    EXPECT_EQ(matrix.distance_with(changed, first, last),
              EditMatrix(changed, reference).distance());
  }
}

TEST(EditMatrix, AlignsWordsWithTheirPlaces) {
  const Words hypothesis{1, 2, 9, 4};
  const Words reference{1, 3, 4};
  const auto alignment = EditMatrix(hypothesis, reference).alignment();
  // 1 stays, 2 goes, 9 becomes 3, 4 stays.
  EXPECT_EQ(alignment.place, (std::vector<std::int32_t>{0, 2, 3}));
  EXPECT_EQ(alignment.reference_is_wrong, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(alignment.hypothesis_is_wrong, (std::vector<bool>{false, true, true, false}));
}

TEST(EditMatrix, PlacesMissingWordsAtTheFrontBeforeEverything) {
  const auto alignment = EditMatrix(Words{7}, Words{5, 6, 7}).alignment();
  EXPECT_EQ(alignment.place, (std::vector<std::int32_t>{-1, -1, 0}));
  EXPECT_EQ(alignment.reference_is_wrong, (std::vector<bool>{true, true, false}));
}

}  // namespace
}  // namespace yona::testing
