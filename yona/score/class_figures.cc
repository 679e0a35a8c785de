#include "yona/score/class_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace yona {

namespace {

struct ClassCounts {
  double expected = 0, predicted = 0, both = 0;
};

// Of each class that occurs on either side.
std::map<std::int32_t, ClassCounts> counts_of(std::span<const std::int32_t> expected,
                                              std::span<const std::int32_t> predicted) {
  std::map<std::int32_t, ClassCounts> counts;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    counts[expected[i]].expected += 1;
    counts[predicted[i]].predicted += 1;
    counts[expected[i]].both += expected[i] == predicted[i] ? 1 : 0;
  }
  return counts;
}

// 2 TP / (2 TP + FP + FN)
double f1_of(const ClassCounts& counts) {
  return 2 * counts.both / (counts.expected + counts.predicted);
}

// NumPy's pairwise sum of up to 128 values, which decides about the last digit of a mean.
double sum_of_block(std::span<const double> values) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> lanes{};
  std::size_t i = 0;
  double sum = 0;
  if (values.size() >= kLanes) {
    for (; i + kLanes <= values.size(); i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        lanes[lane] += values[i + lane];
      }
    }
    sum = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
          ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
  }
  for (; i < values.size(); ++i) {
    sum += values[i];
  }
  return sum;
}

// Longer ones are halved, at a multiple of 8.
double pairwise_sum(std::span<const double> values) {
  constexpr std::size_t kBlock = 128;
  if (values.size() <= kBlock) {
    return sum_of_block(values);
  }
  const std::size_t half = values.size() / 2 / 8 * 8;
  return pairwise_sum(values.first(half)) + pairwise_sum(values.subspan(half));
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

// numpy.corrcoef() of ranks. Ranks and their mean are multiples of 1/2, so the sums are exact and
// their order does not matter; the divisions are done in NumPy's order.
double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double mean = (n + 1) / 2;
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) * (a[i] - mean);
    bb += (b[i] - mean) * (b[i] - mean);
  }
  if (aa == 0 || bb == 0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double scale = 1 / (n - 1);
  return std::clamp(ab * scale / std::sqrt(bb * scale) / std::sqrt(aa * scale), -1.0, 1.0);
}

}  // namespace

double accuracy(std::span<const std::int32_t> expected, std::span<const std::int32_t> predicted) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    right += expected[i] == predicted[i] ? 1 : 0;
  }
  return expected.empty() ? 0.0 : static_cast<double>(right) / static_cast<double>(expected.size());
}

double f1_of_class(std::span<const std::int32_t> expected, std::span<const std::int32_t> predicted,
                   std::int32_t positive) {
  const auto counts = counts_of(expected, predicted);
  const auto found = counts.find(positive);
  return found == counts.end() ? 0.0 : f1_of(found->second);
}

double macro_f1(std::span<const std::int32_t> expected, std::span<const std::int32_t> predicted) {
  std::vector<double> scores;
  for (const auto& entry : counts_of(expected, predicted)) {
    scores.push_back(f1_of(entry.second));
  }
  return scores.empty() ? 0.0 : pairwise_sum(scores) / static_cast<double>(scores.size());
}

double f1_score(std::span<const std::int32_t> expected, std::span<const std::int32_t> predicted,
                std::int64_t classes) {
  return classes == 2 ? f1_of_class(expected, predicted, 1) : macro_f1(expected, predicted);
}

// (c s - Σ p_k t_k) / √((s² - Σ p_k²) (s² - Σ t_k²))          Gorodkin 2004
double matthews(std::span<const std::int32_t> expected, std::span<const std::int32_t> predicted) {
  const auto total = static_cast<double>(expected.size());
  double right = 0;
  double tp = 0;
  double tt = 0;
  double pp = 0;
  for (const auto& entry : counts_of(expected, predicted)) {
    const ClassCounts& counts = entry.second;
    right += counts.both;
    tp += counts.expected * counts.predicted;
    tt += counts.expected * counts.expected;
    pp += counts.predicted * counts.predicted;
  }
  const double scale = std::sqrt((total * total - pp) * (total * total - tt));
  return scale > 0 ? (right * total - tp) / scale : 0.0;
}

double spearman(std::span<const double> expected, std::span<const double> predicted) {
  return correlation(ranks_of(expected), ranks_of(predicted));
}

std::vector<std::string> class_figure_names() { return {"accuracy", "f1", "matthews", "spearman"}; }

}  // namespace yona
