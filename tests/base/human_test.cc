#include "yona/base/human.h"

#include <limits>

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(Human, GroupsDigitsByThree) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(63082496), "63,082,496");
  EXPECT_EQ(grouped(-123456), "-123,456");
  EXPECT_EQ(grouped(-123), "-123");
  EXPECT_EQ(grouped(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(Human, CountsOneAndMany) {
  EXPECT_EQ(counted(0, "line"), "0 lines");
  EXPECT_EQ(counted(1, "line"), "1 line");
  EXPECT_EQ(counted(37000, "line"), "37,000 lines");
}

TEST(Human, ShortensCountsAndBytes) {
  EXPECT_EQ(short_count(0), "0");
  EXPECT_EQ(short_count(999), "999");
  EXPECT_EQ(short_count(1000), "1.0 k");
  EXPECT_EQ(short_count(63082496), "63.1 M");
  EXPECT_EQ(short_count(214171648), "214 M");
  EXPECT_EQ(short_count(999999), "1.0 M");
  EXPECT_EQ(short_bytes(0), "0 B");
  EXPECT_EQ(short_bytes(1500000000), "1.5 GB");
  EXPECT_EQ(short_bytes(std::numeric_limits<std::int64_t>::max()), "9223 PB");
}

TEST(Human, ShortensDurations) {
  EXPECT_EQ(short_duration(0), "0 s");
  EXPECT_EQ(short_duration(59.4), "59 s");
  EXPECT_EQ(short_duration(59.9), "1 min 00 s");
  EXPECT_EQ(short_duration(185), "3 min 05 s");
  EXPECT_EQ(short_duration(7500), "2 h 05 min");
  EXPECT_EQ(short_duration(76 * 3600), "3 d 04 h");
  EXPECT_EQ(short_duration(-1), "?");
  EXPECT_EQ(short_duration(std::numeric_limits<double>::quiet_NaN()), "?");
  EXPECT_EQ(short_duration(std::numeric_limits<double>::infinity()), "?");
}

}  // namespace
}  // namespace yona
