// Known answers of Philox4x32 from the Random123 distribution (kat_vectors), and the sequence.

#include "yona/base/random.h"

#include <set>

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(Philox, GivesThePublishedAnswersForTenRounds) {
  EXPECT_EQ(philox({0, 0, 0, 0}, 0), (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, 0xffffffffffffffffU),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822U),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, GivesThePublishedAnswersForSevenRounds) {
  EXPECT_EQ(philox<7>({0, 0, 0, 0}, 0),
            (PhiloxBlock{0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48}));
}

TEST(RandomSequence, IsUniformBelowABoundThatIsNotAPowerOfTwo) {
  RandomSequence random(7);
  std::array<int, 3> counts{};
  for (int draw = 0; draw < 30000; ++draw) {
    ++counts[random.below(3)];
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 10000, 400);
  }
}

TEST(RandomSequence, DiffersBetweenKeysAndRepeatsForOne) {
  std::set<std::uint64_t> first_draws;
  for (std::uint64_t key = 0; key < 1000; ++key) {
    first_draws.insert(RandomSequence(mix(1, key)).next64());
    EXPECT_EQ(RandomSequence(key).next64(), RandomSequence(key).next64());
  }
  EXPECT_EQ(first_draws.size(), 1000U);
}

}  // namespace
}  // namespace yona
