// The cache itself; that decoding with it gives what it should is
// decode/resident_decoder_test.cc's.

#include "yona/tensor/resident_cache.h"

#include <gtest/gtest.h>

#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

TEST(ResidentCache, KeepsTheMemoryUntilTheNextBatch) {
  Region region(shared_backend("reference"), std::int64_t{1} << 22U);
  soil(region, 1 << 16);
  Context c{.region = region};
  ResidentCache cache(region, 8, 4);
  const Layout layout;
  int made = 0;
  const auto ask = [&](double value) {
    cache.begin_step({});
    return cache.memory(
        layout,
        [&] {
          return ++made, tensor_of({value, value + 1}, {2, 1}, DType::f32, region);
        },
        c);
  };
  cache.begin_batch();
  const CachedKeys first = ask(5);
  EXPECT_EQ(first.keys_and_values.rows(), 4);
  cache.end_step();
  EXPECT_EQ(ask(7).keys_and_values.raw(), first.keys_and_values.raw());
  EXPECT_EQ(made, 1);
  EXPECT_EQ(first.keys_and_values.row_range(0, 2).to_vector<float>(), (std::vector<float>{5, 6}));
  cache.begin_batch();
  EXPECT_EQ(ask(9).keys_and_values.raw(), first.keys_and_values.raw());
  EXPECT_EQ(first.keys_and_values.row_range(0, 2).to_vector<float>(), (std::vector<float>{9, 10}));
}

TEST(ResidentCache, HasTheSameRowsForALayerAtEveryStep) {
  Region region(shared_backend("reference"), std::int64_t{1} << 22U);
  Context c{.region = region};
  ResidentCache cache(region, 8, 4);
  const Tensor fresh = tensor_of({1, 2, 3, 4}, {2, 2}, DType::f32, region);
  const void* layers[2] = {};
  for (int step = 0; step < 3; ++step) {
    cache.begin_step({});
    for (const void*& layer : layers) {
      const CachedKeys seen = cache.append(fresh, c);
      EXPECT_EQ(seen.fresh.raw(), fresh.raw());
      EXPECT_EQ(seen.keys_and_values.rows(), 8);
      EXPECT_TRUE(step == 0 || seen.keys_and_values.raw() == layer);
      layer = seen.keys_and_values.raw();
    }
  }
  EXPECT_NE(layers[0], layers[1]);
}

TEST(ResidentCache, RefusesAMemoryItHasNoRoomFor) {
  Region region(shared_backend("reference"), std::int64_t{1} << 22U);
  Context c{.region = region};
  ResidentCache cache(region, 8, 1);
  cache.begin_step({});
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              cache.memory(
                  {},
                  [&] {
                    return tensor_of({1, 2}, {2, 1}, DType::f32, region);
                  },
                  c);
            }),
            "resident cache: 2 tokens of memory do not fit; the capacity is 1");
}

}  // namespace
}  // namespace yona::testing
