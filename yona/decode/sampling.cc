#include "yona/decode/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "yona/base/random.h"

namespace yona {

namespace {

// The first index at which the running sum of the weights passes number · total.
std::size_t draw(std::span<const double> weights, double total, double number) {
  double sum = 0;
  std::size_t last = 0;  // with a weight, should rounding keep the sum from passing
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += weights[i];
    if (weights[i] > 0) {
      last = i;
      if (sum > number * total) {
        return i;
      }
    }
  }
  return last;
}

std::vector<double> tempered(std::span<const float> log_probabilities, double temperature) {
  const float best = *std::max_element(log_probabilities.begin(), log_probabilities.end());
  std::vector<double> weights;
  weights.reserve(log_probabilities.size());
  for (const float value : log_probabilities) {
    weights.push_back(std::exp((double{value} - best) / temperature));
  }
  return weights;
}

double sum_of(std::span<const double> weights) {
  double sum = 0;
  for (const double weight : weights) {
    sum += weight;
  }
  return sum;
}

}  // namespace

double sample_number(std::uint64_t seed, const SamplePlace& place) {
  const PhiloxBlock block = philox(
      {static_cast<std::uint32_t>(place.step), static_cast<std::uint32_t>(place.sample),
       static_cast<std::uint32_t>(place.request), static_cast<std::uint32_t>(place.request >> 32U)},
      mix(seed, hash_name("sampling")));
  const std::uint64_t bits = (std::uint64_t{block[0]} << 32U) | block[1];
  return static_cast<double>(bits >> 11U) * 0x1.0p-53;
}

std::size_t sample_sorted(std::span<const float> log_probabilities, const SamplingOptions& options,
                          double number) {
  std::vector<double> weights = tempered(log_probabilities, options.temperature);
  if (options.top_k > 0) {
    weights.resize(std::min(weights.size(), static_cast<std::size_t>(options.top_k)));
  }
  const double total = sum_of(weights);
  double kept = 0;
  std::size_t count = 0;
  while (count < weights.size() && (count == 0 || kept < options.top_p * total)) {
    kept += weights[count++];
  }
  weights.resize(count);
  return draw(weights, kept, number);
}

std::size_t sample_any(std::span<const float> log_probabilities, double temperature,
                       double number) {
  const std::vector<double> weights = tempered(log_probabilities, temperature);
  return draw(weights, sum_of(weights), number);
}

std::size_t sample_nucleus(std::span<const float> log_probabilities, const SamplingOptions& options,
                           double number) {
  const std::vector<double> weights = tempered(log_probabilities, options.temperature);
  const double wanted = options.top_p * sum_of(weights);
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  const auto is_before = [&](std::size_t a, std::size_t b) {
    const float x = log_probabilities[a];
    const float y = log_probabilities[b];
    return x > y || (x == y && a < b);
  };
  std::vector<double> best;  // the largest weights, in order
  double kept = 0;
  constexpr std::ptrdiff_t kFirst = 64;
  for (auto sorted = order.begin(); sorted != order.end() && kept < wanted;) {
    const std::ptrdiff_t more = std::max<std::ptrdiff_t>(kFirst, 3 * (sorted - order.begin()));
    const auto end = sorted + std::min<std::ptrdiff_t>(more, order.end() - sorted);
    std::nth_element(sorted, end - 1, order.end(), is_before);
    std::sort(sorted, end, is_before);
    for (; sorted != end && (best.empty() || kept < wanted); ++sorted) {
      best.push_back(weights[*sorted]);
      kept += best.back();
    }
  }
  return order[draw(best, kept, number)];
}

}  // namespace yona
