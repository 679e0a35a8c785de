#include "yona/data/images/pixel_summary.h"

#include <gtest/gtest.h>

namespace yona::testing {
namespace {

TEST(PixelSummary, CountsBytesByChannel) {
  PixelSummary summary;
  const std::vector<std::uint8_t> pixels{1, 2, 1, 3};
  summary.add(pixels, 2);
  EXPECT_EQ(summary.counts.size(), 512U);
  EXPECT_EQ(summary.counts[1], 2U);
  EXPECT_EQ(summary.counts[256 + 2], 1U);
  EXPECT_EQ(summary.counts[256 + 3], 1U);
}

TEST(PixelSummary, IsTheSameInParts) {
  const std::vector<std::uint8_t> pixels{1, 2, 3, 4, 5, 6};
  PixelSummary whole;
  whole.add(pixels, 1);
  PixelSummary parts;
  parts.add(std::span(pixels).first(2), 1);
  parts.add(std::span(pixels).subspan(2), 1);
  EXPECT_EQ(parts.crc64, whole.crc64);
  EXPECT_EQ(parts.counts, whole.counts);
}

}  // namespace
}  // namespace yona::testing
