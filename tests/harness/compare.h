// Distances between vectors of numbers, in which a NaN is far from everything.
#pragma once

#include <string_view>
#include <vector>

namespace yona::testing {

// max |a - b| / max(1, max |b|); infinite when sizes differ or a NaN is in the way.
double largest_error(const std::vector<double>& actual, const std::vector<double>& expected);

// ‖a - b‖ / ‖b‖, with ‖b‖ at least `floor`.
double norm_error(const std::vector<double>& actual, const std::vector<double>& expected,
                  double floor = 0.0);

double norm_of(const std::vector<double>& values);

// Fails the test unless largest_error() is at most the tolerance.
void expect_near(const std::vector<double>& actual, const std::vector<double>& expected,
                 double tolerance, std::string_view what);

}  // namespace yona::testing
