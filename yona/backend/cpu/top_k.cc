// The best continuations of every sentence's beams: three passes over a row that stays in the
// second-level cache: its largest element, its sum of exponentials, and its best k, for which a
// whole vector is compared with the worst of the k found so far and hardly ever has more to do.

#include "yona/backend/top_k.h"

#include <cmath>
#include <limits>

#include "yona/backend/cpu/slices.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/top_k.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/row_best-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

// A NaN may hide from the maximum, never from the sum; a row of -infinity alone has no sum.
HWY_INLINE float row_log_sum(const float* x, std::int64_t n) {
  const float largest = largest_of(x, n);
  if (largest == -kInfinity && std::all_of(x, x + n, [](float v) { return v == -kInfinity; })) {
    return -kInfinity;
  }
  return largest + std::log(exponentials(x, n, largest, nullptr));
}

// Appends the candidates of one row to `found`, with their scores.
void top_k_row(const TopKArgs& args, std::int64_t row, std::vector<RowCandidate>& found) {
  const float* logits = args.logits.row<float>(row);
  const std::int32_t only = args.only != nullptr ? args.only[row] : -1;
  const float kept = only >= 0 ? logits[only] : 0.0F;
  if (args.bans_first) {
    ban_tokens(args, row);
  }
  const float sum = row_log_sum(logits, args.logits.cols);
  const float total = args.normalised && !std::isnan(sum) ? 0.0F : sum;
  args.log_sums.row<float>(0)[row] = total;
  ban_tokens(args, row);
  RowBest best{found, static_cast<std::size_t>(args.scores.cols), static_cast<std::int32_t>(row)};
  if (only >= 0) {
    best.add(kept, only);
  } else {
    scan_row(logits, args.logits.cols, 0, best);
  }
  for (RowCandidate& candidate : found) {
    candidate.score = candidate.score - total + args.row_scores[row];
  }
  std::erase_if(found, [](const RowCandidate& c) { return !(c.score > -kInfinity); });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(top_k_row);

namespace {

void top_k(const TopKArgs& args, Exec& exec) {
  const std::int64_t rows = args.groups[args.sentences];
  thread_local std::vector<std::vector<RowCandidate>> scratch;
  thread_local std::vector<RowCandidate> all;
  std::vector<std::vector<RowCandidate>>& by_row =
      scratch;  // the pool's threads share the caller's
  by_row.resize(std::max(by_row.size(), static_cast<std::size_t>(rows)));
  cpu::for_each_row(exec, rows, args.logits.cols, [&](std::int64_t row) {
    std::vector<RowCandidate>& found = by_row[static_cast<std::size_t>(row)];
    found.clear();
    HWY_DYNAMIC_DISPATCH(top_k_row)(args, row, found);
  });
  for (std::int64_t s = 0; s < args.sentences; ++s) {
    all.clear();
    for (std::int64_t row = args.groups[s]; row < args.groups[s + 1]; ++row) {
      const std::vector<RowCandidate>& found = by_row[static_cast<std::size_t>(row)];
      all.insert(all.end(), found.begin(), found.end());
    }
    put_candidates(args, s, all);
  }
}

const Registration registration(BackendKind::cpu, [](Kernels& table) { table.top_k = top_k; });

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
