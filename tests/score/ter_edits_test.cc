#include "yona/score/ter_edits.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace yona::testing {
namespace {

using Words = std::vector<std::uint32_t>;

TEST(TerEdits, CountMovingABlockAsOne) {
  EXPECT_EQ(ter_edits(Words{4, 5, 6, 1, 2, 3}, Words{1, 2, 3, 4, 5, 6}), 1);
  EXPECT_EQ(ter_edits(Words{1, 2, 3}, Words{1, 2, 3}), 0);
  EXPECT_EQ(ter_edits(Words{2, 1}, Words{1, 2}), 1);
}

TEST(TerEdits, CountWordsThatAreMissingOrTooMany) {
  EXPECT_EQ(ter_edits(Words{}, Words{1, 2}), 2);
  EXPECT_EQ(ter_edits(Words{1, 2}, Words{}), 2);
  EXPECT_EQ(ter_edits(Words{}, Words{}), 0);
  EXPECT_EQ(ter_edits(Words{1, 9, 2}, Words{1, 2, 3}), 2);
}

TEST(TerEdits, DoNotMoveWordsTooFar) {
  Words reference(120);
  std::iota(reference.begin(), reference.end(), 0);
  Words far = reference;
  std::rotate(far.begin(), far.begin() + 1, far.begin() + 60);  // the first word, 59 places on
  EXPECT_EQ(ter_edits(far, reference), 2);
  Words near = reference;
  std::rotate(near.begin(), near.begin() + 1, near.begin() + 40);
  EXPECT_EQ(ter_edits(near, reference), 1);
}

// 1000 candidates over rows of 50 cells, not over the whole matrix.
TEST(TerEdits, OfVeryLongLinesTakeNoTime) {
  Words a(200000, 1);
  Words b(200000, 1);
  for (std::size_t i = 0; i < a.size(); i += 3) {
    a[i] = 2;
    b[i + (i + 1 < b.size() ? 1 : 0)] = 2;
  }
  EXPECT_GT(ter_edits(a, b), 0);
}

}  // namespace
}  // namespace yona::testing
