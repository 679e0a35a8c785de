#include "yona/decode/token_choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "yona/base/error.h"

namespace yona {

namespace {

constexpr double kLargestPenalty = 1e4;

// Tokens that are still in the race, with weights exp((logit - best) / temperature).
struct Weighted {
  std::int32_t id;
  double weight;
};

bool is_heavier(const Weighted& a, const Weighted& b) {
  return a.weight > b.weight || (a.weight == b.weight && a.id < b.id);
}

// The k-th best logit: what equals it stays, too.
float kth_best(std::span<const float> logits, std::int64_t k) {
  std::vector<float> copy(logits.begin(), logits.end());
  const auto place = copy.begin() + (k - 1);
  std::nth_element(copy.begin(), place, copy.end(), std::greater<>());
  return *place;
}

std::vector<Weighted> weighted(std::span<const float> logits, const TokenChoiceOptions& options) {
  const auto size = static_cast<std::int64_t>(logits.size());
  const float best = *std::max_element(logits.begin(), logits.end());
  const float least =
      options.top_k > 0 && options.top_k < size ? kth_best(logits, options.top_k) : -INFINITY;
  std::vector<Weighted> kept;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (logits[i] >= least && logits[i] > -INFINITY) {
      kept.push_back({static_cast<std::int32_t>(i),
                      std::exp((double{logits[i]} - best) / options.temperature)});
    }
  }
  return kept;
}

double sum_of_weights(const std::vector<Weighted>& tokens) {
  return std::accumulate(tokens.begin(), tokens.end(), 0.0,
                         [](double sum, const Weighted& token) { return sum + token.weight; });
}

// A token stays if all that are better have less than p of the probability together. The best are
// sorted a few at a time: mostly the first few hold p.
void keep_top_p(std::vector<Weighted>& tokens, double p) {
  const double wanted = p * sum_of_weights(tokens);
  double sum = 0;
  std::size_t count = 0;
  constexpr std::ptrdiff_t kFirst = 64;
  for (auto sorted = tokens.begin(); sorted != tokens.end() && (count == 0 || sum < wanted);) {
    const std::ptrdiff_t more = std::max<std::ptrdiff_t>(kFirst, 3 * (sorted - tokens.begin()));
    const auto end = sorted + std::min<std::ptrdiff_t>(more, tokens.end() - sorted);
    std::nth_element(sorted, end - 1, tokens.end(), is_heavier);
    std::sort(sorted, end, is_heavier);
    for (; sorted != end && (count == 0 || sum < wanted); ++sorted, ++count) {
      sum += sorted->weight;
    }
  }
  tokens.resize(count);
  std::sort(tokens.begin(), tokens.end(),
            [](const Weighted& a, const Weighted& b) { return a.id < b.id; });
}

std::vector<Weighted> filtered(std::span<const float> logits, const TokenChoiceOptions& options) {
  std::vector<Weighted> tokens = weighted(logits, options);
  if (options.top_p < 1.0 && !tokens.empty()) {
    keep_top_p(tokens, options.top_p);
  }
  if (options.min_p > 0.0) {  // the best has a weight of one
    std::erase_if(tokens, [&](const Weighted& token) { return token.weight < options.min_p; });
  }
  return tokens;
}

std::int32_t best_token(std::span<const float> logits) {
  const auto best = std::max_element(logits.begin(), logits.end());
  return best == logits.end() || *best == -INFINITY
             ? -1
             : static_cast<std::int32_t>(best - logits.begin());
}

}  // namespace

void check_token_choice(const TokenChoiceOptions& options, const char* what) {
  const auto is_within = [](double value, double low, double high) {
    return value >= low && value <= high;  // false for NaN
  };
  check(is_within(options.temperature, 0.0, 100.0),
        "{}: a temperature of {} is not between 0 and 100", what, options.temperature);
  check(options.top_k >= 0, "{}: top-k is {}; it must be at least 1, or 0 for all tokens", what,
        options.top_k);
  check(options.top_p > 0.0 && options.top_p <= 1.0,
        "{}: top-p is {}; it must be above 0 and at most 1", what, options.top_p);
  check(is_within(options.min_p, 0.0, 1.0), "{}: min-p is {}; it must be between 0 and 1", what,
        options.min_p);
  check(options.repetition_penalty > 0.0 && options.repetition_penalty <= kLargestPenalty,
        "{}: a repetition penalty of {} is not above 0 and at most {}", what,
        options.repetition_penalty, kLargestPenalty);
  for (const double penalty : {options.presence_penalty, options.frequency_penalty}) {
    check(is_within(penalty, -kLargestPenalty, kLargestPenalty),
          "{}: a presence or frequency penalty of {} is not between -{} and {}", what, penalty,
          kLargestPenalty, kLargestPenalty);
  }
}

SeenTokens::SeenTokens(std::span<const std::int32_t> prompt) {
  for (const std::int32_t token : prompt) {
    counts_.emplace(token, 0);
  }
}

// z ← z / r where z > 0, else z · r;  z ← z - presence · [n > 0] - frequency · n
void apply_penalties(std::span<float> logits, const TokenChoiceOptions& options,
                     const SeenTokens& seen) {
  const auto repetition = static_cast<float>(options.repetition_penalty);
  for (const auto& [token, times] : seen.counts()) {
    if (token < 0 || token >= static_cast<std::int64_t>(logits.size())) {
      continue;
    }
    float& logit = logits[static_cast<std::size_t>(token)];
    logit = logit < 0 ? logit * repetition : logit / repetition;
    if (times > 0) {
      logit -= static_cast<float>(options.presence_penalty +
                                  options.frequency_penalty * static_cast<double>(times));
    }
  }
}

KeptTokens kept_tokens(std::span<const float> logits, const TokenChoiceOptions& options) {
  const std::vector<Weighted> tokens = filtered(logits, options);
  const double total = sum_of_weights(tokens);
  KeptTokens kept;
  for (const Weighted& token : tokens) {
    kept.ids.push_back(token.id);
    kept.probabilities.push_back(token.weight / total);
  }
  return kept;
}

std::int32_t choose_token(std::span<const float> logits, const TokenChoiceOptions& options,
                          double number) {
  if (options.temperature == 0.0 || logits.empty()) {
    return best_token(logits);
  }
  const std::vector<Weighted> tokens = filtered(logits, options);
  const double wanted = number * sum_of_weights(tokens);
  double sum = 0;
  std::int32_t last = -1;  // with a weight, should rounding keep the sum from passing
  for (const Weighted& token : tokens) {
    sum += token.weight;
    if (token.weight > 0) {
      last = token.id;
      if (sum > wanted) {
        break;
      }
    }
  }
  return last;
}

}  // namespace yona
