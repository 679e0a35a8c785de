#include "yona/tensor/ragged.h"

#include <algorithm>
#include <vector>

#include "yona/base/random.h"

namespace yona {

std::shared_ptr<const Layout> make_layout(std::span<const std::int64_t> offsets,
                                          std::span<const std::uint64_t> sentence_ids,
                                          Region& region) {
  check(!offsets.empty() && offsets.front() == 0, "layout: offsets must begin with 0");
  check(sentence_ids.empty() || sentence_ids.size() + 1 == offsets.size(),
        "layout: {} sentence ids for {} sentences", sentence_ids.size(), offsets.size() - 1);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    check(offsets[s] <= offsets[s + 1], "layout: offsets fall from {} to {} at sentence {}",
          offsets[s], offsets[s + 1], s);
  }
  auto layout = std::make_shared<Layout>();
  layout->sentences = static_cast<std::int64_t>(offsets.size()) - 1;
  layout->tokens = offsets.back();
  std::vector<std::int32_t> positions(static_cast<std::size_t>(layout->tokens));
  std::vector<std::int64_t> keys(positions.size());
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const std::int64_t length = offsets[s + 1] - offsets[s];
    layout->longest = std::max(layout->longest, length);
    const std::uint64_t id = sentence_ids.empty() ? s : sentence_ids[s];
    for (std::int64_t i = 0; i < length; ++i) {
      const auto token = static_cast<std::size_t>(offsets[s] + i);
      positions[token] = static_cast<std::int32_t>(i);
      keys[token] = static_cast<std::int64_t>(mix(id, static_cast<std::uint64_t>(i)));
    }
  }
  layout->offsets = Tensor(region, DType::i64, Shape{static_cast<std::int64_t>(offsets.size())});
  layout->offsets.upload(std::vector<std::int64_t>(offsets.begin(), offsets.end()));
  layout->positions = Tensor(region, DType::i32, Shape{layout->tokens});
  layout->positions.upload(positions);
  layout->row_keys = Tensor(region, DType::i64, Shape{layout->tokens});
  layout->row_keys.upload(keys);
  return layout;
}

}  // namespace yona
