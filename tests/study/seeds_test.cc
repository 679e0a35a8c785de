#include "yona/study/seeds.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(Seeds, GroupsAndSpread) {
  const Json points{{"b 1", {{"kind", "b"}, {"x", 1.0}}},
                    {"a 1", {{"kind", "a"}, {"x", 5.0}}},
                    {"b 2", {{"kind", "b"}, {"x", 3.0}}}};
  const auto groups = grouped_points(points, "kind");
  ASSERT_EQ(groups.size(), 2U);
  const auto x = [](const Json& point) { return point["x"].get<double>(); };
  for (const auto& [name, of_group] : groups) {
    const Spread spread = spread_of(of_group, x);
    EXPECT_DOUBLE_EQ(spread.mean, name == "b" ? 2.0 : 5.0);
    EXPECT_NEAR(spread.deviation, name == "b" ? 1.41421356 : 0.0, 1e-8);
  }
  EXPECT_EQ((Spread{0.5, 0.25}.text()), "0.500 ± 0.250");
}

}  // namespace
}  // namespace yona
