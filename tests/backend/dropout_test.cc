#include "yona/backend/dropout.h"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace yona::testing {
namespace {

std::vector<bool> mask(const Dropout& dropout, std::uint64_t row_key, std::int64_t channels) {
  std::vector<bool> kept;
  for (std::int64_t j = 0; j < channels; ++j) {
    kept.push_back(keeps(dropout, row_key, j));
  }
  return kept;
}

double share_kept(const std::vector<bool>& kept) {
  return static_cast<double>(std::count(kept.begin(), kept.end(), true)) /
         static_cast<double>(kept.size());
}

// Written down once: a change here changes the bits of every run that is resumed.
TEST(DropoutDecisions, StayAsTheyAre) {
  const Dropout dropout = Dropout::with(0.5, 0x0123456789ABCDEF, 0x1000);
  const std::vector<bool> kept = mask(dropout, 42, 200);
  std::uint64_t digest = 0;
  for (const bool bit : kept) {
    digest = mix(digest, bit ? 1 : 0);
  }
  EXPECT_EQ(digest, 6838328032911598245U);
}

TEST(DropoutDecisions, DropTheShareThatIsAskedFor) {
  for (const double p : {0.01, 0.1, 0.3, 0.5, 0.99}) {
    const std::vector<bool> kept = mask(Dropout::with(p, 3, 0), 9, 100000);
    EXPECT_NEAR(share_kept(kept), 1.0 - p, 4 * std::sqrt(p * (1 - p) / 1e5));
  }
}

TEST(DropoutDecisions, HaveAScaleThatMakesUpForWhatTheyDrop) {
  for (const double p : {0.0, 0.1, 0.3, 0.5, 0.9}) {
    const Dropout dropout = Dropout::with(p, 1, 1);
    const double kept = 1.0 - dropout.threshold / 65536.0;
    EXPECT_NEAR(kept * static_cast<double>(dropout.scale), 1.0, 1e-7);
    EXPECT_NEAR(kept, 1.0 - p, 1e-5);
  }
}

TEST(DropoutDecisions, AreOthersForOtherKeysStreamsRowsAndChannels) {
  const auto of = [](std::uint64_t key, std::uint32_t stream, std::uint64_t row) {
    return mask(Dropout::with(0.5, key, stream), row, 128);
  };
  const std::set<std::vector<bool>> masks{of(1, 0, 1),
                                          of(2, 0, 1),
                                          of(1, 0x1000, 1),
                                          of(1, 0, 2),
                                          of(std::uint64_t{1} << 32U, 0, 1),
                                          of(1, 0, std::uint64_t{1} << 32U)};
  EXPECT_EQ(masks.size(), 6U);
  const std::vector<bool> wide = mask(Dropout::with(0.5, 1, 0), 1, 256);
  EXPECT_NE(std::vector<bool>(wide.begin(), wide.begin() + 128),
            std::vector<bool>(wide.begin() + 128, wide.end()));
}

TEST(DropoutDecisions, OfAttentionDifferBetweenHeadsKeysAndQueries) {
  const Dropout dropout = Dropout::with(0.5, 5, 0x2000);
  const auto weights = [&](std::uint64_t query, std::int64_t head) {
    std::vector<bool> kept;
    for (std::int64_t j = 0; j < 10000; ++j) {
      kept.push_back(keeps_weight(dropout, query, j, head));
    }
    return kept;
  };
  std::set<std::vector<bool>> masks;
  for (const std::int64_t head : {0, 1, 7, 8, 15, 16, 1023}) {
    masks.insert(weights(1, head));
    EXPECT_NEAR(share_kept(weights(1, head)), 0.5, 0.02);
  }
  masks.insert(weights(2, 0));
  EXPECT_EQ(masks.size(), 8U);
}

}  // namespace
}  // namespace yona::testing
