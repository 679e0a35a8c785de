// The next token of each row of logits, and the row of the next step.

#include <algorithm>
#include <cmath>
#include <vector>

#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

struct WeightedToken {
  std::int32_t id;
  float logit;
  double weight;
};

double sum_of(const std::vector<WeightedToken>& tokens) {
  double sum = 0;
  for (const WeightedToken& token : tokens) {
    sum += token.weight;
  }
  return sum;
}

// What may be drawn, by rising id; there is a logit above -infinity.
std::vector<WeightedToken> kept_of(const float* logits, std::int64_t size, float best,
                                   const TokenChoiceNumbers& choice) {
  std::vector<WeightedToken> tokens;
  for (std::int64_t i = 0; i < size; ++i) {
    if (logits[i] > -INFINITY) {
      tokens.push_back({static_cast<std::int32_t>(i), logits[i],
                        std::exp((double{logits[i]} - best) / choice.temperature)});
    }
  }
  const auto is_better = [](const WeightedToken& a, const WeightedToken& b) {
    return a.weight > b.weight || (a.weight == b.weight && a.id < b.id);
  };
  if (choice.top_k > 0 && choice.top_k < size) {
    std::vector<float> sorted(logits, logits + size);
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const float least = sorted[static_cast<std::size_t>(choice.top_k) - 1];
    std::erase_if(tokens, [&](const WeightedToken& token) { return token.logit < least; });
  }
  if (choice.top_p < 1.0) {
    const double wanted = choice.top_p * sum_of(tokens);
    std::sort(tokens.begin(), tokens.end(), is_better);
    double sum = 0;
    std::size_t count = 0;
    while (count < tokens.size() && (count == 0 || sum < wanted)) {
      sum += tokens[count++].weight;
    }
    tokens.resize(count);
    std::sort(tokens.begin(), tokens.end(),
              [](const WeightedToken& a, const WeightedToken& b) { return a.id < b.id; });
  }
  std::erase_if(tokens, [&](const WeightedToken& token) { return token.weight < choice.min_p; });
  return tokens;
}

std::int32_t next_token(const float* logits, std::int64_t size, const TokenChoiceNumbers& choice,
                        double number) {
  if (!std::all_of(logits, logits + size, [](float x) { return x < INFINITY; })) {
    return -2;
  }
  const float* best = std::max_element(logits, logits + size);
  if (*best == -INFINITY) {
    return -1;
  }
  if (choice.temperature == 0.0) {
    return static_cast<std::int32_t>(best - logits);
  }
  const std::vector<WeightedToken> tokens = kept_of(logits, size, *best, choice);
  const double wanted = number * sum_of(tokens);
  double sum = 0;
  std::int32_t last = -1;
  for (const WeightedToken& token : tokens) {
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

void next_tokens(const NextTokensArgs& args, Exec& /*exec*/) {
  const GenerateRows& rows = args.rows;
  for (std::int64_t r = 0; r < args.logits.rows; ++r) {
    if (rows.places[r] < 0) {
      continue;
    }
    const std::int64_t at = rows.steps[r] * args.logits.rows + r;
    const std::int32_t token =
        next_token(args.logits.row<float>(r), args.logits.cols, args.choices[r], args.numbers[at]);
    args.tokens[at] = token;
    rows.ids[r] = std::max(token, 0);
    ++rows.positions[r];
    ++rows.counts[r];
    ++rows.places[r];
    ++rows.steps[r];
  }
}

const Registration registration(BackendKind::reference,
                                [](Kernels& table) { table.next_tokens = next_tokens; });

}  // namespace
}  // namespace yona::reference
