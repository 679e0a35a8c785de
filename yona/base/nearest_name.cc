#include "yona/base/nearest_name.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace yona {

// Three rows of the usual table: swaps look two rows back.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 200;  // bounds the cost of hostile input
  if (name.size() > kLongest) {
    return std::nullopt;
  }
  std::size_t best = std::numeric_limits<std::size_t>::max();
  const std::string* nearest = nullptr;
  for (const std::string& candidate : names) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best) {
      best = distance;
      nearest = &candidate;
    }
  }
  if (nearest == nullptr || 3 * best > std::max(name.size(), nearest->size()) + 1) {
    return std::nullopt;
  }
  return *nearest;
}

}  // namespace yona
