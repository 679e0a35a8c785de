#include "yona/parallel/shards.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

constexpr std::int64_t kGranule = Shards::kGranule;

TEST(Shards, CoverTheBufferOnceWhateverTheNumberOfRanks) {
  for (const std::int64_t count :
       {std::int64_t{1}, kGranule - 1, kGranule, 5 * kGranule + 3, 200 * kGranule + 17}) {
    for (const int size : {1, 2, 3, 7}) {
      std::vector<int> owners(static_cast<std::size_t>((count + kGranule - 1) / kGranule), 0);
      std::int64_t owned = 0;
      for (int rank = 0; rank < size; ++rank) {
        const Shards shards(count, rank, size);
        std::int64_t packed = 0;
        for (const Shards::Slice& slice : shards.own()) {
          EXPECT_EQ(slice.packed, packed);
          packed += slice.count();
          for (std::int64_t at = slice.begin; at < slice.end; at += kGranule) {
            EXPECT_EQ(at % kGranule, 0);
            ++owners[static_cast<std::size_t>(at / kGranule)];
          }
        }
        EXPECT_EQ(shards.owned(), packed);
        owned += packed;
      }
      EXPECT_EQ(owned, count);
      EXPECT_EQ(owners, std::vector<int>(owners.size(), 1));
    }
  }
}

TEST(Shards, GiveEveryRankAboutTheSame) {
  for (int rank = 0; rank < 3; ++rank) {
    const Shards shards(1000 * kGranule, rank, 3);
    EXPECT_NEAR(static_cast<double>(shards.owned()) / kGranule, 1000.0 / 3, 8);
  }
}

// While the backward pass goes on, buckets are exchanged one by one.
TEST(Shards, OfManyRanksAreSeveralBucketsToo) {
  for (const int size : {2, 8, 16, 64}) {
    EXPECT_GE(Shards(1000 * kGranule, 0, size).own().size(), 7U) << size << " ranks";
  }
}

TEST(Shards, OfOneRankAreOneSlice) {
  const Shards shards(1000 * kGranule + 1);
  ASSERT_EQ(shards.own().size(), 1U);
  EXPECT_EQ(shards.largest_own(), 1000 * kGranule + 1);
}

}  // namespace
}  // namespace yona
