#include "yona/study/odd_symbol.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(OddSymbol, IsInTheMiddleAndIsTheTarget) {
  const Batch batch = odd_symbol_batch(40, 1, 5, 7);
  const Side& source = batch.sides[kSource];
  const Side& target = batch.sides[kTarget];
  ASSERT_EQ(batch.examples(), 40);
  for (std::size_t s = 0; s < 40; ++s) {
    const std::int64_t distance = (source.rows_of(s) - 2) / 2;  // without </s> and the symbol
    EXPECT_GE(distance, 1);
    EXPECT_LE(distance, 5);
    EXPECT_EQ(target.rows_of(s), 2);
    for (std::int64_t n = 0; n + 1 < source.rows_of(s); ++n) {
      const std::int32_t id = source.ids[static_cast<std::size_t>(source.offsets[s] + n)];
      EXPECT_EQ(id >= kFirstOddSymbol, n == distance) << s << " " << n;
      if (n == distance) {
        EXPECT_EQ(id, target.ids[static_cast<std::size_t>(target.offsets[s])]);
      }
    }
  }
}

TEST(OddSymbol, DependsOnTheKeyAlone) {
  EXPECT_EQ(odd_symbol_batch(9, 2, 4, 1).sides[kSource].ids,
            odd_symbol_batch(9, 2, 4, 1).sides[kSource].ids);
  EXPECT_NE(odd_symbol_batch(9, 2, 4, 1).sides[kSource].ids,
            odd_symbol_batch(9, 2, 4, 2).sides[kSource].ids);
}

}  // namespace
}  // namespace yona
