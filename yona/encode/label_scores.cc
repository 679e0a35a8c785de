#include "yona/encode/label_scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace yona {

std::vector<double> probabilities(const std::vector<float>& logits) {
  const float largest = *std::max_element(logits.begin(), logits.end());
  std::vector<double> p;
  p.reserve(logits.size());
  for (const float x : logits) {
    p.push_back(std::exp(static_cast<double>(x) - static_cast<double>(largest)));
  }
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& x : p) {
    x /= sum;
  }
  return p;
}

std::vector<LabelScore> sorted_scores(const std::vector<double>& scores,
                                      const std::vector<std::string>& labels) {
  std::vector<LabelScore> sorted;
  sorted.reserve(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    sorted.push_back({labels[i], scores[i]});
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const LabelScore& a, const LabelScore& b) { return a.score > b.score; });
  return sorted;
}

void scale_to_length_1(std::vector<float>& vector) {
  double squares = 0;
  for (const float x : vector) {
    squares += static_cast<double>(x) * static_cast<double>(x);
  }
  const double length = std::max(std::sqrt(squares), 1e-12);
  for (float& x : vector) {
    x = static_cast<float>(static_cast<double>(x) / length);
  }
}

}  // namespace yona
