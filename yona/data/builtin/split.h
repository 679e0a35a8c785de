// Which items are kept for testing. An item is made of combinations, each at its place: the ten and
// the unit of a number's thousands, the hour and the minute of a time, the day and the month of a
// date. At every place a fixed eighth or so of the combinations is held out: no training item has
// one of them there, every test item has at least one, and yet every ten, unit, hour, minute, day
// and month is met in training at its place, in other company. So a model that is right about the
// test items has learnt how the parts go together.
#pragma once

#include <vector>

#include "yona/data/builtin/item.h"

namespace yona::builtin {

enum class Split { train, test };

enum class Place {
  last_digits,  // the last two digits of a number     ten 2 … 9, unit 1 … 9
  thousands,    // the same two of its thousands                "
  millions,     // and of its millions                          "
  euros,        // of the euros of a price                      "
  cents,        // its cents                                    "
  year,         // the last two digits of a year                "
  time,         // hour 1 … 12, minute 0 … 59
  date,         // month 1 … 12, day 1 … 31
};

struct Combination {
  Place place;
  int first;
  int second;
  bool operator==(const Combination&) const = default;
};

// The combinations of an item, at most one for each place. Two digits count as one only where a
// ten and a unit are both said: 20 and 5 and 17 do not, 25 does.
std::vector<Combination> combinations(const Item& item);

// Whether the combination belongs to the tests alone. Depends on nothing but the combination: not
// on the seed, nor on the languages.
bool held_out(const Combination& combination);

// Whether the item is a test item: one of its combinations is held out.
bool held_out(const Item& item);

}  // namespace yona::builtin
