#include "yona/study/layer_costs.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/op_case.h"

namespace yona {
namespace {

TEST(LayerCosts, MemoryGrowsWithTheTokens) {
  const StudySetting setting{.backend = testing::shared_backend("cpu")};
  for (const LayerKind& kind : layer_kinds()) {
    const LayerCosts costs = layer_costs(kind, 16, 64, setting);
    EXPECT_GT(costs.training_ms, 0) << kind.name;
    EXPECT_GT(costs.decoding_us, 0) << kind.name;
    // Input, output and their gradients at the least.
    EXPECT_GE(costs.training_mb * 1024 * 1024, 4 * 16 * 64 * sizeof(float)) << kind.name;
    EXPECT_GT(layer_costs(kind, 256, 64, setting).training_mb, 4 * costs.training_mb) << kind.name;
  }
}

TEST(LayerCosts, StopWhenAsked) {
  const std::atomic<bool> stop = true;
  const StudySetting setting{.backend = testing::shared_backend("cpu"), .stop = &stop};
  EXPECT_THROW(layer_costs(layer_kinds().front(), 16, 64, setting), Interrupted);
}

}  // namespace
}  // namespace yona
