// Attention over a cache on the device: types, head sizes on all of its paths, biases by distance
// that reach farther and less far than the cache, and beams that share what they see.

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

class CudaCachedAttention : public CudaTest {
 protected:
  static void expect_reference(std::int64_t d, std::int64_t reach, DType dtype,
                               std::int64_t shared = 1) {
    SCOPED_TRACE(::testing::Message()
                 << "heads of " << d << ", " << shared << " for each of keys, reach " << reach
                 << ", " << name_of(dtype));
    constexpr std::int64_t kHeads = 6, kRows = 6, kCached = 300, kMost = 80;
    const Both q(kRows, kHeads * d, dtype, 1);
    const Both k(kCached, kHeads / shared * d, dtype, 2);
    const Both v(kCached, kHeads / shared * d, dtype, 3);
    const Both fresh(kRows, 2 * kHeads / shared * d, dtype, 4);
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
                                 .heads_per_kv = shared,
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

  // Sentences of `beam` rows that share their first tokens, part after a while, and share again
  // with one neighbour; some rows see nothing.
  static void expect_beams(std::int64_t sentences, std::int64_t beam, std::int64_t most,
                           std::int64_t heads, DType dtype) {
    SCOPED_TRACE(::testing::Message() << sentences << " × " << beam << " rows, " << heads
                                      << " heads, " << most << " keys, " << name_of(dtype));
    constexpr std::int64_t kHead = 64;
    const std::int64_t rows = sentences * beam;
    const std::int64_t cached = rows * (most + 1);
    const Both q(rows, heads * kHead, dtype, 1);
    const Both k(cached, heads * kHead, dtype, 2);
    const Both v(cached, heads * kHead, dtype, 3);
    const Both fresh(rows, 2 * heads * kHead, dtype, 4);
    const Both out(rows, heads * kHead, dtype, 5);
    std::vector<std::int32_t> entries, counts, places;
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t count = row % 7 == 5 ? 0 : most - row / beam % 5;
      counts.push_back(static_cast<std::int32_t>(count));
      places.push_back(row % 11 == 3 ? -1 : static_cast<std::int32_t>(rows * most + row));
      for (std::int64_t j = 0; j < most; ++j) {
        const std::int64_t group = j < most / 2 ? beam : j < most - 3 ? std::int64_t{2} : 1;
        const std::int64_t ancestor = row / beam * beam + row % beam / group * group;
        entries.push_back(static_cast<std::int32_t>(j * rows + ancestor));
      }
    }
    const Numbers<std::int32_t> table(entries), count_list(counts), place_list(places);
    run(&Kernels::cached_attention, [&](bool on) {
      return CachedAttentionArgs{.q = q.view(on),
                                 .k = k.view(on),
                                 .v = v.view(on),
                                 .out = out.view(on),
                                 .table = table.data(on),
                                 .table_stride = most,
                                 .counts = count_list.data(on),
                                 .heads = heads,
                                 .d_k = kHead,
                                 .d_v = kHead,
                                 .scale = 0.125F,
                                 .fresh = fresh.view(on),
                                 .places = place_list.data(on)};
    });
    out.expect_equal("own tokens");
    k.expect_equal("cache of keys", 0.0);
    v.expect_equal("cache of values", 0.0);
    std::vector<std::int64_t> first;
    for (std::int64_t row = 0; row < rows; ++row) {
      first.push_back(row / beam * most);
    }
    const Numbers<std::int64_t> first_list(first);
    run(&Kernels::cached_attention, [&](bool on) {
      return CachedAttentionArgs{.q = q.view(on),
                                 .k = k.view(on),
                                 .v = v.view(on),
                                 .out = out.view(on),
                                 .first = first_list.data(on),
                                 .counts = count_list.data(on),
                                 .heads = heads,
                                 .d_k = kHead,
                                 .d_v = kHead,
                                 .scale = 2.0F};
    });
    out.expect_equal("memory");
  }
};

TEST_F(CudaCachedAttention, LetsHeadsShareKeysAndValues) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    for (const std::int64_t d : {20, 32, 64, 128}) {
      for (const std::int64_t shared : {2, 6}) {
        expect_reference(d, 0, dtype, shared);
        expect_reference(d, 9, dtype, shared);
      }
    }
  }
}

TEST_F(CudaCachedAttention, IsTheReferencesForBeamsThatShareWhatTheySee) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    expect_beams(3, 4, 32, 8, dtype);
    expect_beams(2, 5, 70, 3, dtype);  // blocks of four rows are of two sentences
    expect_beams(5, 1, 41, 5, dtype);  // nothing is shared
    expect_beams(1, 3, 5, 1, dtype);
    expect_beams(2, 8, 17, 4, dtype);
  }
}

TEST_F(CudaCachedAttention, IsTheReferencesWithAndWithoutABias) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    for (const std::int64_t d : {24, 32, 64, 128}) {
      for (const std::int64_t reach : {0, 1, 20, 128}) {
        expect_reference(d, reach, dtype);
      }
    }
  }
}

}  // namespace
}  // namespace yona::testing
