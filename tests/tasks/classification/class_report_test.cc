#include "yona/tasks/classification/class_report.h"

#include <cmath>

#include <gtest/gtest.h>

namespace yona::testing {
namespace {

TEST(ClassReport, HasTheMeanLossAndTheFiguresAskedFor) {
  const std::vector<std::int32_t> labels{0, 1, 1, 0};
  const ValidationReport report =
      class_report({{0, 0}, {0, 2}, {3, 0}, {1, 0}}, labels, {"accuracy", "f1"});
  const double expected = (std::log(2.0) + std::log1p(std::exp(-2.0)) + std::log1p(std::exp(3.0)) +
                           std::log1p(std::exp(-1.0))) /
                          4;
  EXPECT_NEAR(report.loss, expected, 1e-9);
  ASSERT_EQ(report.figures.size(), 2U);
  EXPECT_DOUBLE_EQ(report.figures[0].value, 75.0);
  EXPECT_NEAR(report.figures[1].value, 200.0 / 3.0, 1e-9);
}

}  // namespace
}  // namespace yona::testing
