// The best k of a row of logits: what top_k and int8_top_k share. Once per instruction set.
#if defined(YONA_BACKEND_CPU_ROW_BEST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef YONA_BACKEND_CPU_ROW_BEST_INL_H_
#undef YONA_BACKEND_CPU_ROW_BEST_INL_H_
#else
#define YONA_BACKEND_CPU_ROW_BEST_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "yona/backend/cpu/log_sum-inl.h"
#include "yona/backend/top_k.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

// The k best so far, as a heap with the worst on top. Tokens come in rising order, so one that is
// equal to the worst comes too late.
struct RowBest {
  std::vector<RowCandidate>& heap;
  std::size_t k;
  std::int32_t row;
  float above = -kInfinity;  // only logits above this are of interest

  float threshold() const { return heap.size() < k ? above : heap.front().score; }
  void add(float logit, std::int64_t token) {
    if (heap.size() == k) {
      std::pop_heap(heap.begin(), heap.end(), comes_before);
      heap.pop_back();
    }
    heap.push_back({logit, row, static_cast<std::int32_t>(token)});
    std::push_heap(heap.begin(), heap.end(), comes_before);
  }
};

// Looks at n logits, of which the first is that of token `first`. A whole vector is compared with
// the worst of the k found so far, and hardly ever has more to do.
HWY_INLINE void scan_row(const float* x, std::int64_t n, std::int64_t first, RowBest& best) {
  const D d;
  float worst = best.threshold();
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V lowest = hn::Set(d, -kInfinity);
    const V values = or_else(d, load(d, x + j, part), lowest, part);
    if (HWY_LIKELY(hn::AllFalse(d, hn::Gt(values, hn::Set(d, worst))))) {
      return;
    }
    const std::int64_t end = std::min(n, j + static_cast<std::int64_t>(hn::Lanes(d)));
    for (std::int64_t i = j; i < end; ++i) {
      if (x[i] > worst) {
        best.add(x[i], first + i);
        worst = best.threshold();
      }
    }
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#endif  // include guard of one target
