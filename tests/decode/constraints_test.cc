#include "yona/decode/constraints.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

Ids repeats(const Ids& ids, std::int64_t n) {
  Ids bans;
  append_repeats(ids, n, bans);
  return bans;
}

TEST(Constraints, BanTheEndOfAnNgramThatHasBeen) {
  EXPECT_EQ(repeats({5, 6, 7, 5, 6}, 3), (Ids{7}));
  EXPECT_EQ(repeats({5, 6, 5, 7, 5}, 2), (Ids{6, 7}));
  EXPECT_EQ(repeats({5, 6, 7}, 1), (Ids{5, 6, 7}));
  EXPECT_EQ(repeats({5, 5, 5}, 2), (Ids{5, 5}));
}

TEST(Constraints, BanNothingBeforeAnNgramIsThere) {
  EXPECT_TRUE(repeats({}, 1).empty());
  EXPECT_TRUE(repeats({}, 3).empty());
  EXPECT_TRUE(repeats({5, 5}, 3).empty());
  EXPECT_TRUE(repeats({5, 6, 7}, 2).empty());
}

TEST(Constraints, BanTheEndAndTheUnknownAsAsked) {
  DecodeOptions options;
  options.min_length = 1;
  options.suppress_unknown = true;
  const auto search = make_search(options, {.max_length = 5, .end = 0});
  Ids bans;
  append_bans(*search, search->beams().front(), options, bans);
  EXPECT_EQ(bans, (Ids{0, 1}));
  search->force({.score = -1, .beam = 0, .token = 7});
  bans.clear();
  append_bans(*search, search->beams().front(), options, bans);
  EXPECT_EQ(bans, (Ids{1}));
}

}  // namespace
}  // namespace yona
