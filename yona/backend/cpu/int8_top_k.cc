// The best continuations directly from the states: a slice is a block of the vocabulary, whose
// logits for all rows are computed into a buffer that stays in the L2 cache, and searched there.
// The matrix of all logits, 19 MB for 128 rows, is never stored.

#include <algorithm>
#include <atomic>
#include <cmath>

#include "yona/backend/cpu/int8_product.h"
#include "yona/backend/cpu/int8_rows.h"
#include "yona/backend/cpu/matmul_plan.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"
#include "yona/backend/top_k.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/int8_top_k.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/row_best-inl.h"

#ifndef YONA_BACKEND_CPU_INT8_TOP_K_BLOCK
#define YONA_BACKEND_CPU_INT8_TOP_K_BLOCK
namespace yona {

// What a block of the vocabulary says about one row.
struct BlockOfRow {
  float largest = 0, sum = 0;      // of its logits; of their e^(logit - largest)
  std::vector<RowCandidate> best;  // logits in the place of scores
};

// The tokens of a block and the logits of one row for them.
struct RowOfBlock {
  float* logits;
  std::int64_t first, count;
};

// Takes the banned tokens of a row out of a block.
inline void ban_in_block(const TopKArgs& args, std::int64_t row, const RowOfBlock& block) {
  if (args.ban_offsets == nullptr) {
    return;
  }
  for (std::int64_t i = args.ban_offsets[row]; i < args.ban_offsets[row + 1]; ++i) {
    const std::int64_t place = args.bans[i] - block.first;
    if (place >= 0 && place < block.count) {
      block.logits[place] = -std::numeric_limits<float>::infinity();
    }
  }
}

}  // namespace yona
#endif

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

// Σ e^(x - largest). A NaN may hide from the largest, never from the sum; -infinity alone has none.
HWY_INLINE float block_sum(const float* x, std::int64_t n, float largest) {
  if (largest > -kInfinity) {
    return exponentials(x, n, largest, nullptr);
  }
  return std::all_of(x, x + n, [](float v) { return v == -kInfinity; }) ? 0.0F : NAN;
}

// `threshold` is what the k-th best logit of the row is known to be at least.
void look_at_block(const TopKArgs& args, std::int64_t row, const RowOfBlock& block, float threshold,
                   BlockOfRow& found) {
  const std::int64_t only = args.only != nullptr ? args.only[row] : -1;
  const bool has_only = only >= block.first && only < block.first + block.count;
  const float kept = has_only ? block.logits[only - block.first] : 0.0F;
  if (args.bans_first) {
    ban_in_block(args, row, block);
  }
  found.largest = largest_of(block.logits, block.count);
  found.sum = block_sum(block.logits, block.count, found.largest);
  ban_in_block(args, row, block);
  found.best.clear();
  RowBest best{found.best, static_cast<std::size_t>(args.scores.cols),
               static_cast<std::int32_t>(row), std::nextafter(threshold, -kInfinity)};
  if (has_only) {
    best.add(kept, only);
  } else if (only < 0) {
    scan_row(block.logits, block.count, block.first, best);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(look_at_block);

namespace {

constexpr std::int64_t kWidth = 32 * kPanelRows;  // of a block: with 128 rows, 1 MB of logits
constexpr std::int64_t kRowsAtOnce = 128;

class Int8TopK {
 public:
  Int8TopK(const Int8TopKArgs& args, Exec& exec)
      : args_(args),
        rows_(args.x.rows),
        tokens_(args.top_k.logits.cols),
        blocks_(cpu::divide_up(tokens_, kWidth)),
        found_(memory().found),
        thresholds_(memory().thresholds) {
    if (static_cast<std::int64_t>(found_.size()) < blocks_ * rows_) {
      found_.resize(static_cast<std::size_t>(blocks_ * rows_));
    }
    if (static_cast<std::int64_t>(thresholds_.size()) < rows_) {
      thresholds_ = std::vector<std::atomic<float>>(static_cast<std::size_t>(rows_));
    }
    for (std::atomic<float>& threshold : thresholds_) {
      threshold.store(-std::numeric_limits<float>::infinity(), std::memory_order_relaxed);
    }
    memory().x.round(args.x, exec);
    x_ = &memory().x;
  }

  void look(Exec& exec) {
    exec.pool->run(blocks_, [this](std::int64_t block) {
      for (std::int64_t row = 0; row < rows_; row += kRowsAtOnce) {
        look_at(block, row, std::min(kRowsAtOnce, rows_ - row));
      }
    });
  }

  // The blocks of a row as one, in their order; scores instead of logits.
  void merge(std::int64_t row, std::vector<RowCandidate>& all) const {
    const TopKArgs& args = args_.top_k;
    float largest = -std::numeric_limits<float>::infinity();
    float sum = 0;
    for (std::int64_t b = 0; b < blocks_; ++b) {
      largest = std::max(largest, at(b, row).largest);
    }
    for (std::int64_t b = 0; b < blocks_; ++b) {
      const BlockOfRow& block = at(b, row);
      sum += block.sum == 0 ? 0 : block.sum * std::exp(block.largest - largest);
    }
    const float total =
        sum == 0 ? -std::numeric_limits<float>::infinity() : largest + std::log(sum);
    args.log_sums.row<float>(0)[row] = total;
    for (std::int64_t b = 0; b < blocks_; ++b) {
      for (RowCandidate candidate : at(b, row).best) {
        candidate.score = candidate.score - total + args.row_scores[row];
        if (candidate.score > -std::numeric_limits<float>::infinity()) {
          all.push_back(candidate);
        }
      }
    }
  }

 private:
  struct Memory {
    cpu::RoundedRows x;
    std::vector<BlockOfRow> found;
    std::vector<std::atomic<float>> thresholds;
  };
  // Of the calling thread; those of the pool work on it too.
  static Memory& memory() {
    thread_local Memory memory;
    return memory;
  }
  BlockOfRow& at(std::int64_t block, std::int64_t row) const {
    return found_[static_cast<std::size_t>(block * rows_ + row)];
  }

  // The logits of some rows for `count` tokens: kWidth apart.
  void multiply(std::int64_t first, std::int64_t count, std::int64_t row, std::int64_t rows,
                float* logits) const {
    const Int8Weights& weights = args_.weights;
    cpu::Int8Product product{.x = x_->row(row),
                             .x_stride = x_->stride(),
                             .x_scales = x_->scale(row),
                             .rows = rows,
                             .groups = x_->stride() / kInt8Group,
                             .panel = weights.values.row<std::int8_t>(first / kPanelRows),
                             .scales = weights.scales.row<float>(0) + first,
                             .sums = weights.sums.row<std::int32_t>(0) + first,
                             .y = logits,
                             .y_stride = kWidth};
    const std::int64_t panels =
        cpu::divide_up(count, kPanelRows);  // what is too much, y has room for
    if (rows == 1) {
      cpu::multiply_int8_row(product, panels);
      return;
    }
    for (std::int64_t panel = 0; panel < panels; ++panel) {
      product.last = first + (panel + 1) * kPanelRows >= tokens_;
      cpu::multiply_int8_panel(product);
      product.panel += weights.values.stride;
      product.scales += kPanelRows;
      product.sums += kPanelRows;
      product.y += kPanelRows;
    }
  }

  void look_at(std::int64_t block, std::int64_t row, std::int64_t rows) const {
    thread_local cpu::Scratch<float> scratch;
    float* logits = scratch.get(static_cast<std::size_t>(rows * kWidth));
    const std::int64_t first = block * kWidth;
    const std::int64_t count = std::min(kWidth, tokens_ - first);
    multiply(first, count, row, rows, logits);
    for (std::int64_t i = 0; i < rows; ++i) {
      BlockOfRow& found = at(block, row + i);
      std::atomic<float>& threshold = thresholds_[static_cast<std::size_t>(row + i)];
      HWY_DYNAMIC_DISPATCH(look_at_block)
      (args_.top_k, row + i, {logits + i * kWidth, first, count},
       threshold.load(std::memory_order_relaxed), found);
      if (static_cast<std::int64_t>(found.best.size()) == args_.top_k.scores.cols) {
        raise(threshold, found.best.front().score);
      }
    }
  }

  // Whichever thread comes first: it only spares work, no result depends on it.
  static void raise(std::atomic<float>& threshold, float to) {
    float before = threshold.load(std::memory_order_relaxed);
    while (before < to && !threshold.compare_exchange_weak(before, to, std::memory_order_relaxed)) {
    }
  }

  const Int8TopKArgs& args_;
  std::int64_t rows_, tokens_, blocks_;
  std::vector<BlockOfRow>& found_;
  std::vector<std::atomic<float>>& thresholds_;
  const cpu::RoundedRows* x_ = nullptr;
};

void int8_top_k(const Int8TopKArgs& args, Exec& exec) {
  Int8TopK work(args, exec);
  work.look(exec);
  std::vector<RowCandidate> all;
  for (std::int64_t s = 0; s < args.top_k.sentences; ++s) {
    all.clear();
    for (std::int64_t row = args.top_k.groups[s]; row < args.top_k.groups[s + 1]; ++row) {
      work.merge(row, all);
    }
    put_candidates(args.top_k, s, all);
  }
}

const Registration registration(BackendKind::cpu,
                                [](Kernels& table) { table.int8_top_k = int8_top_k; });

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
