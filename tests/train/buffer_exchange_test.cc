#include "yona/train/buffer_exchange.h"

#include <numeric>

#include <gtest/gtest.h>

#include "tests/harness/thread_ranks.h"

namespace yona {
namespace {

constexpr std::int64_t kCount = 40 * Shards::kGranule + 5;

std::vector<float> counted_values() {
  std::vector<float> values(static_cast<std::size_t>(kCount));
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

TEST(BufferExchange, EverySliceComesFromItsOwner) {
  run_ranks(3, [](Communicator& ranks) {
    const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
    const Shards shards(kCount, ranks.rank(), ranks.size());
    const std::vector<float> all = counted_values();
    std::vector<float> own(all.size(), -1.0F);
    for (const Shards::Slice& slice : shards.own()) {
      std::copy(all.begin() + slice.begin, all.begin() + slice.end, own.begin() + slice.begin);
    }
    Region region(*backend, kCount * 4 + 1024);
    const Tensor flat(region, DType::f32, Shape{1, kCount});
    flat.upload(own);
    share_slices(ranks, *backend, shards, flat);
    EXPECT_EQ(flat.to_vector<float>(), all);
  });
}

TEST(BufferExchange, ShardsAreCollectedByTheFirst) {
  run_ranks(4, [](Communicator& ranks) {
    const Shards shards(kCount, ranks.rank(), ranks.size());
    const std::vector<float> all = counted_values();
    std::vector<float> own;
    for (const Shards::Slice& slice : shards.own()) {
      own.insert(own.end(), all.begin() + slice.begin, all.begin() + slice.end);
    }
    const std::vector<float> found = collect_slices(ranks, shards, own);
    EXPECT_EQ(found, ranks.rank() == 0 ? all : std::vector<float>());
  });
}

}  // namespace
}  // namespace yona
