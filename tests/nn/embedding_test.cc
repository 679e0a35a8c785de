#include "yona/nn/embedding.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/harness/bound_module.h"
#include "tests/harness/compare.h"

namespace yona::testing {
namespace {

class Embedder : public Module {
 public:
  explicit Embedder(double dropout = 0.0)
      : table(7, 4),
        positions(PositionKind::sinusoidal, 5, 4, 10000.0),
        input(table, positions, {.dropout = dropout}) {
    add("table", table);
    add("positions", positions);
    add("input", input);
  }
  TokenTable table;
  Positions positions;
  InputEmbedding input;
};

TEST(TokenTable, KeepsItsLastRowForPadding) {
  Embedder embedder;
  BoundModule bound(embedder);
  EXPECT_EQ(embedder.table.zero_id(), 6);
  EXPECT_EQ(embedder.table.projection().shape(), (Shape{6, 4}));
  bound.parameters.initialise(1);
  EXPECT_EQ(values_of(embedder.table.weight().row_range(6, 1)), std::vector<double>(4, 0.0));
}

// x = √d_model · E[id] + PE(pos); <pad> has no embedding.
TEST(InputEmbedding, MultipliesByTheRootOfTheWidthAndAddsPositions) {
  Embedder embedder;
  BoundModule bound(embedder);
  const Tokens tokens{ids_of({3, 6, 0}, bound.region), layout_of({2, 1}, bound.region)};
  const std::vector<double> x = values_of(embedder.input(tokens, bound.c).values);
  const std::vector<double> E = values_of(embedder.table.weight());
  const std::vector<double> PE = sinusoids(5, 4, 10000.0);
  std::vector<double> expected;
  for (std::size_t j = 0; j < 4; ++j) {
    expected.push_back(2.0 * E[3 * 4 + j] + PE[j]);
  }
  for (std::size_t j = 0; j < 4; ++j) {
    expected.push_back(PE[4 + j]);
  }
  for (std::size_t j = 0; j < 4; ++j) {
    expected.push_back(2.0 * E[j] + PE[j]);
  }
  expect_near(x, expected, 1e-14, "embedding");
}

TEST(InputEmbedding, DropsInTrainingOnly) {
  Embedder embedder(0.5);
  BoundModule bound(embedder);
  const Tokens tokens{ids_of({3, 1, 0, 5}, bound.region), layout_of({4}, bound.region)};
  const std::vector<double> whole = values_of(embedder.input(tokens, bound.c).values);
  bound.c.training = true;
  const std::vector<double> dropped = values_of(embedder.input(tokens, bound.c).values);
  int zeros = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_TRUE(dropped[i] == 0.0 || std::abs(dropped[i] - 2.0 * whole[i]) < 1e-14);
    zeros += dropped[i] == 0.0 ? 1 : 0;
  }
  EXPECT_GT(zeros, 2);
  EXPECT_LT(zeros, 14);
}

}  // namespace
}  // namespace yona::testing
