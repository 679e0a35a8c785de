// The score of a query and a key in attention by random features (performer_args.h), as plain
// loops. Sums run in double, whatever the type of the data.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "yona/backend/view.h"

namespace yona::reference {

// log Σ_r exp(ω_r·(q' + k')) - |k'|²/2. `shares` becomes each feature's share of the sum.
template <class T>
double performer_score(const View& features, double root, const T* q, const T* k,
                       std::vector<double>& shares) {
  shares.assign(static_cast<std::size_t>(features.rows), 0.0);
  double square = 0;
  for (std::int64_t c = 0; c < features.cols; ++c) {
    const double sum = root * (double{q[c]} + k[c]);
    for (std::int64_t r = 0; r < features.rows; ++r) {
      shares[static_cast<std::size_t>(r)] += sum * features.row<T>(r)[c];
    }
    square += root * k[c] * root * k[c];
  }
  const double largest = *std::max_element(shares.begin(), shares.end());
  double total = 0;
  for (double& share : shares) {
    share = std::exp(share - largest);
    total += share;
  }
  for (double& share : shares) {
    share /= total;
  }
  return largest + std::log(total) - square / 2;
}

}  // namespace yona::reference
