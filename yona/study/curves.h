// What studies say of measured curves, whatever was measured: from which length on a cheaper layer
// is the faster one, and how a cost grows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yona {

using Curve = std::vector<std::pair<double, double>>;  // x and a positive value

struct Crossing {
  // nowhere: there is no x that both have. not_at_end: `a` is not lower at the last x.
  enum class Kind : std::uint8_t { nowhere, always, from, not_at_end };
  Kind kind = Kind::nowhere;
  double first = 0, last = 0;  // x that both have
  double at = 0;     // from: where the lines between the points cross, on axes of logarithms
  double ratio = 0;  // a / b at the last x
};
// Of `a` under `b`. It is `from` when a is lower at the last x: then from the last crossing on.
Crossing crossing(const Curve& a, const Curve& b);

// "is faster from about n = 1300 on (0.61 of the time at n = 4096)", or at every measured n, or "is
// not faster at n = 4096, the longest measured (1.20 of the time)".
struct CrossingWords {
  std::string_view lower = "faster", of_cost = "of the time", x = "n";
};
std::string crossing_text(const Crossing& crossing, const CrossingWords& words = {});

// e of a cost that grows like x^e: between the point nearest to the middle, on an axis of
// logarithms, and the last one. 0 for fewer than two points.
struct Growth {
  double first = 0, last = 0;  // the two x
  double exponent = 0;
};
Growth growth_of(Curve curve);

}  // namespace yona
