// Attention over a cache on the device: types, head sizes on both of its paths, and biases by
// distance that reach farther and less far than the cache.

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

class CudaCachedAttention : public CudaTest {
 protected:
  static void expect_reference(std::int64_t d, std::int64_t reach, DType dtype) {
    SCOPED_TRACE(::testing::Message()
                 << "heads of " << d << ", reach " << reach << ", " << name_of(dtype));
    constexpr std::int64_t kHeads = 3, kRows = 6, kCached = 300, kMost = 80;
    const Both q(kRows, kHeads * d, dtype, 1);
    const Both k(kCached, kHeads * d, dtype, 2);
    const Both v(kCached, kHeads * d, dtype, 3);
    const Both fresh(kRows, 2 * kHeads * d, dtype, 4);
    const Both out(kRows, kHeads * d, dtype, 5);
    const Both bias(kHeads, 2 * reach + 1, DType::f32, 6, -2.0, 2.0);
    std::vector<std::int32_t> entries;
    for (std::int64_t i = 0; i < kRows * kMost; ++i) {
      entries.push_back(static_cast<std::int32_t>(i * 7 % 290));
    }
    const Numbers<std::int32_t> table(entries);
    const Numbers<std::int32_t> counts({0, 1, 17, 79, 40, 5});
    const Numbers<std::int32_t> places({290, 291, 292, 293, -1, 295});
    run(&Kernels::cached_attention, [&](bool on) {
      return CachedAttentionArgs{.q = q.view(on),
                                 .k = k.view(on),
                                 .v = v.view(on),
                                 .out = out.view(on),
                                 .table = table.data(on),
                                 .table_stride = kMost,
                                 .counts = counts.data(on),
                                 .heads = kHeads,
                                 .d_k = d,
                                 .d_v = d,
                                 .scale = 0.3F,
                                 .fresh = fresh.view(on),
                                 .places = places.data(on),
                                 .bias = reach > 0 ? bias.view(on) : View{}};
    });
    out.expect_equal("out");
    k.expect_equal("cache of keys", 0.0);
    v.expect_equal("cache of values", 0.0);
  }
};

TEST_F(CudaCachedAttention, IsTheReferencesWithAndWithoutABias) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    for (const std::int64_t d : {24, 32, 64, 128}) {
      for (const std::int64_t reach : {0, 1, 20, 128}) {
        expect_reference(d, reach, dtype);
      }
    }
  }
}

}  // namespace
}  // namespace yona::testing
