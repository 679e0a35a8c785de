#include "yona/study/layer_kinds.h"

#include <gtest/gtest.h>

#include "yona/tensor/attention_cache.h"

#include "tests/harness/bound_module.h"
#include "tests/harness/compare.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

// Decoding computes what the causal layer computes of the whole sentence; without a cache, a layer
// for decoding is that causal layer.
TEST(LayerKinds, DecodeTokenByTokenWhatTheyGiveAtOnce) {
  constexpr std::int64_t kTokens = 6;
  for (const LayerKind& kind : layer_kinds()) {
    const auto layer = kind.make({.width = 4, .use = LayerUse::decoding, .depth = 1});
    BoundModule bound(*layer);
    const Ragged x = bound.input({kTokens}, 4);
    const Tensor whole = (*layer)(x, bound.c).values;
    AttentionCache cache(bound.region, {.rows = 1, .steps = kTokens});
    Context c{.region = bound.region, .cache = &cache};
    const std::vector<std::int32_t> zero{0};
    for (std::int64_t t = 0; t < kTokens; ++t) {
      cache.begin_step(zero, zero);
      const Ragged newest{x.values.row_range(t, 1), make_step_layout(1, t, bound.region)};
      expect_near(values_of((*layer)(newest, c).values), values_of(whole.row_range(t, 1)),
                  kExactF64, std::string(kind.name));
    }
  }
}

}  // namespace
}  // namespace yona::testing
