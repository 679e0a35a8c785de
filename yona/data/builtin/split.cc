// The combinations of each kind of item, and the hash that holds some of them out.

#include "yona/data/builtin/split.h"

#include <algorithm>
#include <cstdint>

#include "yona/base/random.h"

namespace yona::builtin {
namespace {

// Chosen once so that between 11 % and 14 % of the combinations are held out at every place, that
// no part loses many of its partners, and that one o'clock stays in training: German says "ein Uhr"
// at no other time (split_test.cc checks all three). Changing the key changes what every published
// figure on this data means.
constexpr std::uint64_t kSplitKey = 8794;

struct Collector {
  std::vector<Combination>& found;

  void add_pair(Place place, int value) const {
    const int ten = value / 10 % 10;
    const int unit = value % 10;
    if (ten >= 2 && unit >= 1) {
      found.push_back({place, ten, unit});
    }
  }

  void operator()(const Number& number) const {
    add_pair(Place::last_digits, number.value);
    add_pair(Place::thousands, number.value / 1000);
    add_pair(Place::millions, number.value / 1'000'000);
  }
  void operator()(const Price& price) const {
    add_pair(Place::euros, price.euros);
    add_pair(Place::cents, price.cents);
  }
  void operator()(const Time& time) const {
    found.push_back({Place::time, time.hour, time.minute});
  }
  void operator()(const Date& date) const {
    found.push_back({Place::date, date.month, date.day});
    add_pair(Place::year, date.year);
  }
};

}  // namespace

std::vector<Combination> combinations(const Item& item) {
  std::vector<Combination> found;
  std::visit(Collector{found}, item);
  return found;
}

bool held_out(const Combination& combination) {
  const std::uint64_t place = mix(kSplitKey, static_cast<std::uint64_t>(combination.place));
  const auto pair = std::uint64_t{100} * static_cast<std::uint64_t>(combination.first) +
                    static_cast<std::uint64_t>(combination.second);
  return mix(place, pair) % 8 == 0;
}

bool held_out(const Item& item) {
  const std::vector<Combination> found = combinations(item);
  return std::any_of(found.begin(), found.end(),
                     [](const Combination& combination) { return held_out(combination); });
}

}  // namespace yona::builtin
