#include "yona/models/unfolding.h"

#include <algorithm>

#include "yona/tensor/layer_cache.h"
#include "yona/tensor/ops/gather_rows.h"
#include "yona/tensor/ops/recurrent.h"

namespace yona {

namespace {

// For each target token, the row of the memory at its position, or the last one of its sentence.
Tensor unfolded_rows(const Layout& target, const Layout& source, Context& c) {
  const std::vector<std::int64_t> targets = host_offsets(target, c.backend());
  const std::vector<std::int64_t> sources = host_offsets(source, c.backend());
  std::vector<std::int32_t> rows;
  for (std::size_t s = 0; s + 1 < targets.size(); ++s) {
    for (std::int64_t t = 0; t < targets[s + 1] - targets[s]; ++t) {
      rows.push_back(static_cast<std::int32_t>(std::min(sources[s] + t, sources[s + 1] - 1)));
    }
  }
  return row_numbers(rows, c.region);
}

// The same for the newest token of each row.
Tensor unfolded_rows(const Layout& step, const CachedKeys& memory, Context& c) {
  const std::vector<std::int32_t> positions = step.positions.to_vector<std::int32_t>();
  const std::vector<std::int64_t> first = memory.first.to_vector<std::int64_t>();
  const std::vector<std::int32_t> counts = memory.counts.to_vector<std::int32_t>();
  std::vector<std::int32_t> rows;
  for (std::size_t r = 0; r < first.size(); ++r) {
    rows.push_back(static_cast<std::int32_t>(first[r]) + std::min(positions[r], counts[r] - 1));
  }
  return row_numbers(rows, c.region);
}

}  // namespace

Tensor unfolded(const Ragged& memory, const Layout& target, const Linear& product, Context& c) {
  const auto from_source = [&] { return product(memory.values, c); };
  if (c.cache != nullptr) {
    const CachedKeys cached = c.cache->memory(*memory.layout, from_source, c);
    return gather_rows(cached.keys_and_values, unfolded_rows(target, cached, c), c);
  }
  return gather_rows(from_source(), unfolded_rows(target, *memory.layout, c), c);
}

}  // namespace yona
