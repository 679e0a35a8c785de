// The best continuations of every sentence's beams, as plain loops. f32 alone: the scores are for
// the host, which chooses by them.

#include "yona/backend/top_k.h"

#include <cmath>
#include <limits>

#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// log Σ exp(x); NaN when there is a NaN or +infinity among them.
double log_sum(const float* x, std::int64_t n) {
  double largest = -kInfinity;
  double sum = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    if (std::isnan(x[j])) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    largest = std::max(largest, double{x[j]});
  }
  for (std::int64_t j = 0; j < n; ++j) {
    sum += std::exp(double{x[j]} - largest);
  }
  return largest == -kInfinity ? -kInfinity : largest + std::log(sum);
}

void add_row(const TopKArgs& args, std::int64_t row, std::vector<RowCandidate>& found) {
  const float* logits = args.logits.row<float>(row);
  const std::int32_t only = args.only != nullptr ? args.only[row] : -1;
  const float kept = only >= 0 ? logits[only] : 0.0F;
  if (args.bans_first) {
    ban_tokens(args, row);
  }
  const double sum = log_sum(logits, args.logits.cols);
  const double total = args.normalised && !std::isnan(sum) ? 0.0 : sum;
  args.log_sums.row<float>(0)[row] = static_cast<float>(total);
  ban_tokens(args, row);
  const auto add = [&](std::int64_t token, float logit) {
    const float score = static_cast<float>(logit - total) + args.row_scores[row];
    if (score > -kInfinity) {
      found.push_back({score, static_cast<std::int32_t>(row), static_cast<std::int32_t>(token)});
    }
  };
  if (only >= 0) {
    add(only, kept);
    return;
  }
  for (std::int64_t token = 0; token < args.logits.cols; ++token) {
    add(token, logits[token]);
  }
}

void top_k(const TopKArgs& args, Exec& /*exec*/) {
  std::vector<RowCandidate> found;
  for (std::int64_t s = 0; s < args.sentences; ++s) {
    found.clear();
    for (std::int64_t row = args.groups[s]; row < args.groups[s + 1]; ++row) {
      add_row(args, row, found);
    }
    put_candidates(args, s, found);
  }
}

void logits_top_k(const LogitsTopKArgs& args, Exec& exec) {
  reference_kernels().matmul.function()(args.product, exec);
  top_k(args.top_k, exec);
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.top_k = top_k;
  table.logits_top_k = logits_top_k;
});

}  // namespace
}  // namespace yona::reference
