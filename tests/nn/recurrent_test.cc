#include "yona/nn/recurrent.h"

#include <gtest/gtest.h>

#include "yona/tensor/attention_cache.h"

#include "tests/harness/bound_module.h"
#include "tests/harness/compare.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

TEST(RecurrentLayer, GivesTokenByTokenWhatItGivesAtOnce) {
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::tanh}) {
    Recurrent layer(3, 4, cell);
    BoundModule bound(layer);
    const Ragged x = bound.input({3, 3}, 3);
    const Tensor first = bound.input({1, 1}, 4, 9).values;  // a state for each sentence
    const TimeOrder order = time_order(*x.layout, Direction::forward, bound.region);
    const Tensor whole = layer(x.values, order, first, bound.c);
    AttentionCache cache(bound.region, {.rows = 2, .steps = 3});
    Context c{.region = bound.region, .cache = &cache};
    const std::vector<std::int32_t> both{0, 1};
    for (std::int64_t t = 0; t < 3; ++t) {
      cache.begin_step(both, both);
      const Tensor input = c.empty(DType::f64, Shape{2, 3});
      std::vector<double> values = values_of(x.values.row_range(t, 1));
      const std::vector<double> second = values_of(x.values.row_range(3 + t, 1));
      values.insert(values.end(), second.begin(), second.end());
      set_values(input, values);
      const Tensor h = layer.step(
          input, [&] { return first; }, 2, c);
      expect_near(values_of(h.row_range(0, 1)), values_of(whole.row_range(t, 1)), kExactF64, "h");
      expect_near(values_of(h.row_range(1, 1)), values_of(whole.row_range(3 + t, 1)), kExactF64,
                  "h");
    }
  }
}

}  // namespace
}  // namespace yona::testing
