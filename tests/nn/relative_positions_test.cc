#include "yona/nn/relative_positions.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/bound_module.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

// Of T5: exact up to 8 (16 in the decoder), then logarithmic up to 128.
TEST(RelativePositions, HaveTheBucketsOfT5) {
  const auto encoder = bucket_of_distances({.count = 32, .reach = 128, .both_ways = true});
  ASSERT_EQ(encoder.size(), 257U);
  const auto at = [&](int distance) { return encoder[static_cast<std::size_t>(128 + distance)]; };
  EXPECT_EQ(at(0), 0);
  EXPECT_EQ(at(-1), 1);
  EXPECT_EQ(at(1), 17);
  EXPECT_EQ(at(-7), 7);
  EXPECT_EQ(at(-8), 8);
  EXPECT_EQ(at(-12), 9);
  EXPECT_EQ(at(-64), 14);
  EXPECT_EQ(at(-128), 15);
  EXPECT_EQ(at(128), 31);
  const auto decoder = bucket_of_distances({.count = 32, .reach = 128, .both_ways = false});
  EXPECT_EQ(decoder[128], 0);
  EXPECT_EQ(decoder[200], 0);  // keys after the query are not seen
  EXPECT_EQ(decoder[128 - 15], 15);
  EXPECT_EQ(decoder[128 - 16], 16);
  EXPECT_EQ(decoder[0], 31);
  EXPECT_TRUE(std::is_sorted(decoder.rbegin(), decoder.rend()));
}

TEST(RelativePositions, SpreadTheirTableOverDistances) {
  RelativePositions layer({.count = 4, .reach = 3, .both_ways = false}, 2);
  BoundModule bound(layer);
  const Tensor bias = layer(bound.c);
  EXPECT_EQ(bias.shape(), (Shape{2, 7}));
}

TEST(RelativePositions, RefuseBucketsThatCannotBe) {
  EXPECT_THAT(message_of<InvalidArgument>([] { bucket_of_distances({.count = 32, .reach = 9}); }),
              ::testing::HasSubstr("32 buckets cannot hold distances up to 9"));
}

}  // namespace
}  // namespace yona::testing
