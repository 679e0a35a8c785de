#include "yona/study/bound_layer.h"

#include <gtest/gtest.h>

#include "tests/harness/op_case.h"

namespace yona {
namespace {

TEST(BoundLayer, SentencesAreTheSameForTheSameSeed) {
  Backend& backend = testing::shared_backend("cpu");
  BoundLayer first(layer_kinds().front(), {.width = 64}, backend, 1);
  BoundLayer same(layer_kinds().front(), {.width = 64}, backend, 1);
  BoundLayer other(layer_kinds().front(), {.width = 64}, backend, 2);
  const auto values = [](BoundLayer& layer) {
    return layer.layer()(layer.sentence(5), layer.context()).values.to_vector<float>();
  };
  const std::vector<float> of_first = values(first);
  EXPECT_EQ(of_first, values(same));
  EXPECT_NE(of_first, values(other));
}

}  // namespace
}  // namespace yona
