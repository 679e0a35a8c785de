#include "tests/harness/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace yona::testing {

double largest_error(const std::vector<double>& actual, const std::vector<double>& expected) {
  if (actual.size() != expected.size()) {
    return std::numeric_limits<double>::infinity();
  }
  double largest = 1.0;
  double error = 0.0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (std::isinf(expected[i]) && actual[i] == expected[i]) {
      continue;
    }
    const double difference = std::abs(actual[i] - expected[i]);
    if (!std::isfinite(difference)) {
      return std::numeric_limits<double>::infinity();
    }
    error = std::max(error, difference);
    largest = std::max(largest, std::abs(expected[i]));
  }
  return error / largest;
}

double norm_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) {
    sum += value * value;
  }
  return std::sqrt(sum);
}

double norm_error(const std::vector<double>& actual, const std::vector<double>& expected,
                  double floor) {
  if (actual.size() != expected.size()) {
    return std::numeric_limits<double>::infinity();
  }
  std::vector<double> difference(actual.size());
  std::transform(actual.begin(), actual.end(), expected.begin(), difference.begin(),
                 [](double a, double b) { return a - b; });
  const double error = norm_of(difference);
  if (error == 0.0) {
    return 0.0;
  }
  const double scale = std::max(norm_of(expected), floor);
  return std::isfinite(error) && scale > 0.0 ? error / scale
                                             : std::numeric_limits<double>::infinity();
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected,
                 double tolerance, std::string_view what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  const double error = largest_error(actual, expected);
  if (error <= tolerance) {
    return;
  }
  std::size_t worst = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double difference = std::abs(actual[i] - expected[i]);
    if (!std::isfinite(difference) || difference > std::abs(actual[worst] - expected[worst])) {
      worst = i;
      if (!std::isfinite(difference)) {
        break;
      }
    }
  }
  ADD_FAILURE() << what << ": error " << error << " is above " << tolerance << "; element " << worst
                << " is " << actual[worst] << " and should be " << expected[worst];
}

}  // namespace yona::testing
