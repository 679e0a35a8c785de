#include "yona/study/plot.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Plot, TicksAreRound) {
  EXPECT_THAT(plot_ticks(0, 1, PlotScale::linear),
              ElementsAre(0, ::testing::DoubleEq(0.2), ::testing::DoubleEq(0.4),
                          ::testing::DoubleNear(0.6, 1e-9), ::testing::DoubleEq(0.8),
                          ::testing::DoubleEq(1)));
  EXPECT_THAT(plot_ticks(0, 42, PlotScale::linear), ElementsAre(0, 10, 20, 30, 40));
  EXPECT_EQ(plot_ticks(0.5, 2000, PlotScale::log).size(), 4U);  // 1, 10, 100, 1000
  EXPECT_EQ(plot_ticks(128, 1024, PlotScale::log).size(), 4U);  // 128, 256, 512, 1024
  EXPECT_THAT(plot_ticks(0.015, 0.3, PlotScale::log),
              ElementsAre(::testing::DoubleNear(0.02, 1e-9), ::testing::DoubleNear(0.05, 1e-9),
                          ::testing::DoubleNear(0.1, 1e-9), ::testing::DoubleNear(0.2, 1e-9)));
  EXPECT_THAT(plot_ticks(8.03, 8.42, PlotScale::log),
              ElementsAre(::testing::DoubleNear(8.1, 1e-9), ::testing::DoubleNear(8.2, 1e-9),
                          ::testing::DoubleNear(8.3, 1e-9), ::testing::DoubleNear(8.4, 1e-9)));
}

TEST(Plot, DrawsItsSeriesForLightAndDarkPages) {
  const LinePlot plot{"Time <by> length",
                      "tokens",
                      "ms",
                      PlotScale::log,
                      PlotScale::log,
                      {{"exact & all", {{1, 1}, {2, 4}, {4, 16}}}, {"window", {{1, 2}, {4, 8}}}}};
  const std::string svg = svg_of(plot);
  EXPECT_THAT(svg, HasSubstr("<svg"));
  EXPECT_THAT(svg, HasSubstr("Time &lt;by&gt; length"));
  EXPECT_THAT(svg, HasSubstr("exact &amp; all"));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(svg, HasSubstr("class=\"line s1\""));
  EXPECT_THAT(svg, HasSubstr(".s0{stroke:#0072b2;stroke-dasharray:none}"));
  EXPECT_THAT(svg, HasSubstr(".s1{stroke:#d55e00;stroke-dasharray:7 4}"));
}

TEST(Plot, LeavesOutWhatCannotBeDrawn) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  const LinePlot plot{"",
                      "",
                      "",
                      PlotScale::linear,
                      PlotScale::log,
                      {{"a", {{1, nothing}, {2, -1}, {3, 5}}}, {"empty", {}}}};
  const std::string svg = svg_of(plot);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
  EXPECT_THAT(svg_of({}), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace yona
