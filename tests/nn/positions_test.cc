#include "yona/nn/positions.h"

#include <cmath>

#include <gtest/gtest.h>

#include "yona/nn/parameters.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {
namespace {

// PE(pos, 2i) and PE(pos, 2i+1) of the paper, found in our order of channels.
TEST(Positions, AreThePapersSinusoidsWithTheSinesFirst) {
  const std::vector<double> table = sinusoids(50, 8, 10000.0);
  for (std::size_t pos = 0; pos < 50; ++pos) {
    for (std::size_t i = 0; i < 4; ++i) {
      const double angle =
          static_cast<double>(pos) / std::pow(10000.0, 2.0 * static_cast<double>(i) / 8.0);
      EXPECT_NEAR(table[pos * 8 + i], std::sin(angle), 1e-15);
      EXPECT_NEAR(table[pos * 8 + 4 + i], std::cos(angle), 1e-15);
    }
  }
}

TEST(Positions, HaveOneSineMoreWhenTheWidthIsOdd) {
  const std::vector<double> table = sinusoids(2, 3, 100.0);
  expect_near({table.begin() + 3, table.end()},
              {std::sin(1.0), std::sin(1.0 / std::pow(100.0, 2.0 / 3.0)), std::cos(1.0)}, 1e-15,
              "position 1");
  EXPECT_EQ(sinusoids(1, 1, 10.0), std::vector<double>{0.0});
}

// The reason that the paper gives for them (§3.5): a shift is a rotation of each pair.
TEST(Positions, AreShiftedByALinearMap) {
  const std::vector<double> table = sinusoids(40, 6, 10000.0);
  for (std::size_t i = 0; i < 3; ++i) {
    const double turn = 5.0 / std::pow(10000.0, 2.0 * static_cast<double>(i) / 6.0);
    for (std::size_t pos = 0; pos < 35; ++pos) {
      const double sine = table[pos * 6 + i];
      const double cosine = table[pos * 6 + 3 + i];
      EXPECT_NEAR(table[(pos + 5) * 6 + i], sine * std::cos(turn) + cosine * std::sin(turn), 1e-12);
    }
  }
}

TEST(Positions, AreAConstantAParameterOrNothing) {
  const auto parameters_of = [](PositionKind kind) {
    Positions positions(kind, 9, 4, 10000.0);
    const Parameters parameters(positions, shared_backend("reference"), Gradients::no);
    EXPECT_EQ(static_cast<bool>(positions.table()), kind != PositionKind::none);
    if (positions.table()) {
      EXPECT_EQ(positions.table().shape(), (Shape{9, 4}));
    }
    return parameters.count();
  };
  EXPECT_EQ(parameters_of(PositionKind::sinusoidal), 0);
  EXPECT_EQ(parameters_of(PositionKind::learned), 36);
  EXPECT_EQ(parameters_of(PositionKind::none), 0);
}

}  // namespace
}  // namespace yona::testing
