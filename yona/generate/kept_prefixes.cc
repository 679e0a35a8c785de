#include "yona/generate/kept_prefixes.h"

#include <algorithm>

namespace yona {

std::int64_t common_prefix(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return end.first - a.begin();
}

void KeptPrefixes::keep(std::int64_t first, std::vector<std::int32_t> tokens) {
  kept_.push_back({first, std::move(tokens)});
}

std::optional<std::int64_t> KeptPrefixes::drop_oldest() {
  if (kept_.empty()) {
    return std::nullopt;
  }
  const std::int64_t first = kept_.front().first;
  kept_.pop_front();
  return first;
}

std::optional<CachedPrefix> KeptPrefixes::find(std::span<const std::int32_t> tokens) {
  auto best = kept_.end();
  std::int64_t longest = 0;
  for (auto kept = kept_.begin(); kept != kept_.end(); ++kept) {
    const std::int64_t length = common_prefix(kept->tokens, tokens);
    if (length > longest) {
      longest = length;
      best = kept;
    }
  }
  if (best == kept_.end()) {
    return std::nullopt;
  }
  kept_.splice(kept_.end(), kept_, best);
  return CachedPrefix{best->first,
                      std::span(best->tokens).first(static_cast<std::size_t>(longest))};
}

}  // namespace yona
