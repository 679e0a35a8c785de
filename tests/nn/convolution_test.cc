#include "yona/nn/convolution.h"

#include <gtest/gtest.h>

#include "yona/tensor/attention_cache.h"

#include "tests/harness/bound_module.h"
#include "tests/harness/compare.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

TEST(Convolution, IsASumOverTheWindow) {
  Convolution layer(1, 1, {.width = 3});
  BoundModule bound(layer);
  set_values(bound["weight"], {1, 10, 100});
  set_values(bound["bias"], {1000});
  const Ragged x = bound.input({2, 1}, 1);
  set_values(x.values, {1, 2, 3});
  EXPECT_EQ(values_of(layer(x, 2, bound.c).values), (std::vector<double>{1210, 1021, 1030}));
}

TEST(Convolution, GivesTokenByTokenWhatItGivesAtOnce) {
  for (const Window window : {Window{.width = 3, .dilation = 1, .causal = true},
                              Window{.width = 3, .dilation = 2, .causal = true},
                              Window{.width = 1, .dilation = 1, .causal = true}}) {
    Convolution layer(2, 3, window);
    BoundModule bound(layer);
    const Ragged x = bound.input({6}, 2);
    const Tensor whole = layer(x, 1, bound.c).values;
    AttentionCache cache(bound.region, {.rows = 1, .steps = 6});
    Context c{.region = bound.region, .cache = &cache};
    const std::vector<std::int32_t> zero{0};
    for (std::int64_t t = 0; t < 6; ++t) {
      cache.begin_step(zero, zero);
      const Ragged newest{x.values.row_range(t, 1), make_step_layout(1, t, bound.region)};
      expect_near(values_of(layer(newest, 1, c).values), values_of(whole.row_range(t, 1)),
                  kExactF64, "token");
    }
  }
}

}  // namespace
}  // namespace yona::testing
