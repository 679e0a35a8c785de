#include "yona/data/examples.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "yona/base/error.h"

namespace yona {

void Examples::add_part(std::string name, double weight, std::uint64_t count, std::string digest) {
  const std::uint64_t first = this->count();
  check(first + count < std::numeric_limits<std::uint32_t>::max(),
        "data: {} examples are more than 2^32 - 2", first + count);
  parts_.push_back({std::move(name), weight, first, count, std::move(digest)});
}

std::size_t Examples::part_of(std::uint64_t example) const {
  const auto after =
      std::upper_bound(parts_.begin(), parts_.end(), example,
                       [](std::uint64_t value, const Part& part) { return value < part.first; });
  return static_cast<std::size_t>(after - parts_.begin()) - 1;
}

}  // namespace yona
