#include "yona/models/unfolding.h"

#include <gtest/gtest.h>

#include "yona/nn/parameters.h"

#include "tests/harness/random_tensor.h"
#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

// The product is the identity: what is read are the rows of the memory themselves.
TEST(Unfolding, ReadsTheRowOfItsPositionOrTheLast) {
  Backend& backend = shared_backend("cpu");
  Linear product(1, 1);
  Parameters parameters(product, backend, Gradients::no);
  parameters.initialise(1);
  set_values(product.weight(), {1});
  Region region(backend, 1 << 20);
  Context c{.region = region};
  const Ragged memory{tensor_of({10, 11, 20}, {3, 1}, DType::f32, region),
                      make_layout(std::vector<std::int64_t>{0, 2, 3}, {}, region)};
  const auto target = make_layout(std::vector<std::int64_t>{0, 3, 5}, {}, region);
  EXPECT_EQ(values_of(unfolded(memory, *target, product, c)),
            (std::vector<double>{10, 11, 11, 20, 20}));
}

}  // namespace
}  // namespace yona::testing
