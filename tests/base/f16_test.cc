#include "yona/base/f16.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "yona/base/dtype.h"

namespace yona {
namespace {

TEST(F16, EveryHalfComesBackAsItWas) {
  for (std::uint32_t word = 0; word <= 0xffffU; ++word) {
    const auto half = static_cast<std::uint16_t>(word);
    const float value = from_f16(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(from_f16(to_f16(value))));
    } else {
      ASSERT_EQ(to_f16(value), half) << value;
    }
  }
}

TEST(F16, RoundsToTheNearestAndTiesToEven) {
  for (std::uint32_t word = 0; word < 0x7bffU; ++word) {
    const float low = from_f16(static_cast<std::uint16_t>(word));
    const float high = from_f16(static_cast<std::uint16_t>(word + 1));
    const float middle = (low + high) / 2;
    ASSERT_EQ(to_f16(middle), word % 2 == 0 ? word : word + 1) << middle;
    ASSERT_EQ(to_f16(std::nextafter(middle, low)), word) << middle;
    ASSERT_EQ(to_f16(std::nextafter(middle, high)), word + 1) << middle;
  }
}

TEST(F16, IsInfiniteBeyondTheLargest) {
  EXPECT_EQ(to_f16(65519.0F), 0x7bff);
  EXPECT_EQ(to_f16(65520.0F), 0x7c00);
  EXPECT_EQ(to_f16(-std::numeric_limits<float>::infinity()), 0xfc00);
}

}  // namespace
}  // namespace yona
