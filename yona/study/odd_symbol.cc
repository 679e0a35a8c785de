#include "yona/study/odd_symbol.h"

#include "yona/base/random.h"

namespace yona {

Batch odd_symbol_batch(std::int64_t count, std::int64_t nearest, std::int64_t farthest,
                       std::uint64_t key) {
  constexpr std::int32_t kEnd = 0;  // </s>
  Batch batch;
  batch.clear();
  RandomSequence random(key);
  Side& source = batch.sides[kSource];
  Side& target = batch.sides[kTarget];
  for (std::int64_t i = 0; i < count; ++i) {
    const auto distances = static_cast<std::uint64_t>(farthest - nearest + 1);
    const std::int64_t distance = nearest + static_cast<std::int64_t>(random.below(distances));
    const auto odd = static_cast<std::int32_t>(kFirstOddSymbol + i % kOddSymbols);
    for (std::int64_t n = 0; n < 2 * distance + 1; ++n) {
      source.ids.push_back(
          n == distance ? odd : 1 + static_cast<std::int32_t>(random.below(kNoiseSymbols)));
    }
    target.ids.push_back(odd);
    for (Side* side : {&source, &target}) {
      side->ids.push_back(kEnd);
      side->end_example();
    }
    batch.example_ids.push_back(mix(key, static_cast<std::uint64_t>(i)));
    batch.weights.push_back(1.0F);
  }
  return batch;
}

}  // namespace yona
