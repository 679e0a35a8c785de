#include "yona/nn/linear.h"

#include <gtest/gtest.h>

#include "tests/harness/bound_module.h"
#include "tests/harness/compare.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

TEST(LinearLayer, MultipliesByItsWeightAndAddsItsBias) {
  Linear layer(3, 5);
  BoundModule bound(layer);
  const Ragged x = bound.input({2, 4}, 3);
  const Ragged y = layer(x, bound.c);
  EXPECT_EQ(y.values.shape(), (Shape{6, 5}));
  EXPECT_EQ(y.layout, x.layout);
  const Tensor product = matmul(x.values, bound["weight"], Transpose::yes, bound.c);
  expect_near(values_of(y.values), values_of(add_to_rows(product, bound["bias"], bound.c)),
              kExactF64, "x Wᵀ + b");
}

}  // namespace
}  // namespace yona::testing
