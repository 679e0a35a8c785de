// What a training objective computes for a batch, as numbers.
#pragma once

#include <vector>

#include "yona/train/objective.h"

#include "tests/harness/random_tensor.h"

namespace yona::testing {

// The second column of [rows, 2]: -log p of what was expected in each row.
inline std::vector<double> row_nll(Objective& objective, const Batch& batch, Region& region) {
  std::vector<Context> contexts;
  contexts.push_back({.region = region});
  const std::vector<double> both =
      values_of(objective.losses(batch, objective.weight(batch), contexts));
  std::vector<double> second;
  for (std::size_t i = 1; i < both.size(); i += 2) {
    second.push_back(both[i]);
  }
  return second;
}

}  // namespace yona::testing
