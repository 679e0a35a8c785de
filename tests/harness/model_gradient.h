// The gradient of a model's loss against finite differences, along random directions in the space
// of all its parameters.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "yona/nn/parameters.h"
#include "yona/tensor/tape.h"

#include "tests/harness/random_tensor.h"

namespace yona::testing {

struct GradientProbe {
  double step = 1e-5;       // of the difference, on either side
  double tolerance = 1e-6;  // relative, and of losses that change less than by 1 absolute
  std::uint64_t directions = 4;
  std::string name{};  // for messages
};

// `loss` gives the loss of the parameters as they are, in f64; with a tape it also adds the
// gradients.
template <class Loss>
void expect_gradient_of(Parameters& parameters, Loss&& loss, const GradientProbe& probe = {}) {
  Tape tape;
  parameters.zero_gradients();
  loss(&tape);
  const std::vector<double> gradient = values_of(parameters.gradients());
  const std::vector<double> start = values_of(parameters.weights());
  for (std::uint64_t direction = 0; direction < probe.directions; ++direction) {
    const std::vector<double> way = random_values(parameters.count(), 50 + direction);
    double expected = 0;
    for (std::size_t i = 0; i < way.size(); ++i) {
      expected += gradient[i] * way[i];
    }
    const auto at = [&](double step) {
      std::vector<double> moved = start;
      for (std::size_t i = 0; i < moved.size(); ++i) {
        moved[i] += step * way[i];
      }
      set_values(parameters.weights(), moved);
      return loss(nullptr);
    };
    const double difference = (at(probe.step) - at(-probe.step)) / (2 * probe.step);
    EXPECT_NEAR(difference, expected, probe.tolerance * std::max(1.0, std::abs(expected)))
        << probe.name;
  }
}

}  // namespace yona::testing
