#include "yona/score/class_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace yona {

namespace {

// 2 TP / (2 TP + FP + FN); 0 where the class occurs on neither side.
double f1_of(std::int32_t label, std::span<const std::int32_t> expected,
             std::span<const std::int32_t> predicted) {
  double both = 0;
  double either = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const bool is_expected = expected[i] == label;
    const bool is_predicted = predicted[i] == label;
    both += is_expected && is_predicted ? 2 : 0;
    either += (is_expected ? 1 : 0) + (is_predicted ? 1 : 0);
  }
  return either > 0 ? both / either : 0.0;
}

std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) {
      ++end;
    }
    for (std::size_t i = begin; i < end; ++i) {
      ranks[order[i]] = static_cast<double>(begin + end + 1) / 2.0;
    }
    begin = end;
  }
  return ranks;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double accuracy(std::span<const std::int32_t> expected, std::span<const std::int32_t> predicted) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    right += expected[i] == predicted[i] ? 1 : 0;
  }
  return expected.empty() ? 0.0 : static_cast<double>(right) / static_cast<double>(expected.size());
}

double f1_score(std::span<const std::int32_t> expected, std::span<const std::int32_t> predicted,
                std::int64_t classes) {
  if (classes == 2) {
    return f1_of(1, expected, predicted);
  }
  std::map<std::int32_t, double> scores;
  for (const auto& labels : {expected, predicted}) {
    for (const std::int32_t label : labels) {
      scores.try_emplace(label, 0.0);
    }
  }
  double sum = 0;
  for (const auto& entry : scores) {
    sum += f1_of(entry.first, expected, predicted);
  }
  return scores.empty() ? 0.0 : sum / static_cast<double>(scores.size());
}

// (c s - Σ p_k t_k) / √((s² - Σ p_k²) (s² - Σ t_k²))          Gorodkin 2004
double matthews(std::span<const std::int32_t> expected, std::span<const std::int32_t> predicted) {
  std::map<std::int32_t, std::pair<double, double>> counts;
  double right = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    counts[expected[i]].first += 1;
    counts[predicted[i]].second += 1;
    right += expected[i] == predicted[i] ? 1 : 0;
  }
  const auto total = static_cast<double>(expected.size());
  double tp = 0;
  double tt = 0;
  double pp = 0;
  for (const auto& entry : counts) {
    const auto& [t, p] = entry.second;
    tp += t * p;
    tt += t * t;
    pp += p * p;
  }
  const double scale = std::sqrt((total * total - pp) * (total * total - tt));
  return scale > 0 ? (right * total - tp) / scale : 0.0;
}

double spearman(std::span<const double> expected, std::span<const double> predicted) {
  return correlation(ranks_of(expected), ranks_of(predicted));
}

std::vector<std::string> class_figure_names() { return {"accuracy", "f1", "matthews", "spearman"}; }

}  // namespace yona
