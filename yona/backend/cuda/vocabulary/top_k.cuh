// What the kernels of top_k share: a block of kThreads takes a row, finds its log-sum and then the
// tokens that can be among its best.
#pragma once

#include "yona/backend/cuda/common/block.cuh"
#include "yona/backend/cuda/runtime/exec.h"
#include "yona/backend/kernel_args.h"

namespace yona::cuda {

constexpr int kListed = 512;  // tokens of a row that reach the bound, at most
constexpr int kFewBest = 64;  // k up to which rows are read once
constexpr int kFewBans = 8;   // of a row, for which it is not read again

struct TopKProblem {
  Rows<float> logits;
  const float* row_scores = nullptr;
  const std::int64_t* groups = nullptr;
  std::int64_t sentences = 0;
  const std::int64_t* ban_offsets = nullptr;
  const std::int32_t* bans = nullptr;
  bool bans_first = false;
  const std::int32_t* only = nullptr;
  bool normalised = false;
  int k = 0;
  Rows<float> scores;
  Rows<std::int32_t> tokens, rows;
  float* log_sums = nullptr;
  float* row_best = nullptr;          // [rows, k]: each row's candidates, best first
  std::int32_t* row_token = nullptr;  // -1 where there is none
  std::int32_t* next = nullptr;       // [rows], for the merge
};

// Of top_k.cu: how much scratch memory the problem takes; the problem, with what it takes; and what
// follows when every row has its candidates.
std::int64_t top_k_bytes(const TopKArgs& args);
TopKProblem top_k_problem(const TopKArgs& args, Scratch& scratch);
void merge_candidates(const TopKProblem& problem, cudaStream_t stream);

struct Candidate {
  float score;
  std::int32_t token;  // -1: none
};

__device__ inline bool comes_before(const Candidate& a, const Candidate& b) {
  return a.score != b.score ? a.score > b.score : a.token < b.token;
}

__device__ inline void ban_tokens(const TopKProblem& p, std::int64_t row) {
  if (p.ban_offsets != nullptr) {
    for (std::int64_t i = p.ban_offsets[row] + threadIdx.x; i < p.ban_offsets[row + 1];
         i += kThreads) {
      p.logits.row(row)[p.bans[i]] = -INFINITY;
    }
  }
  __syncthreads();
}

// The sum of one value per thread, in a fixed order; every thread gets it.
__device__ inline double block_sum_of(double x) {
  __shared__ double parts[kWarps];
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    x += __shfl_xor_sync(0xFFFFFFFFU, x, distance);
  }
  if (threadIdx.x % kLanes == 0) {
    parts[threadIdx.x / kLanes] = x;
  }
  __syncthreads();
  x = 0;
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) {
    x += parts[warp];
  }
  __syncthreads();
  return x;
}

// The best candidate of the block's threads.
__device__ inline Candidate block_best(Candidate mine) {
  __shared__ Candidate parts[kWarps];
  const auto better = [](const Candidate& a, const Candidate& b) {
    return b.token >= 0 && (a.token < 0 || comes_before(b, a)) ? b : a;
  };
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    const Candidate other{__shfl_xor_sync(0xFFFFFFFFU, mine.score, distance),
                          __shfl_xor_sync(0xFFFFFFFFU, mine.token, distance)};
    mine = better(mine, other);
  }
  __syncthreads();  // earlier reads of parts are over
  if (threadIdx.x % kLanes == 0) {
    parts[threadIdx.x / kLanes] = mine;
  }
  __syncthreads();
  Candidate best = parts[0];
#pragma unroll
  for (int warp = 1; warp < kWarps; ++warp) {
    best = better(best, parts[warp]);
  }
  return best;
}

// What a row's candidates are made of.
struct RowScores {
  const float* z;
  std::int64_t cols;
  double total;
  float row_score;

  __device__ float of(float logit) const {
    return static_cast<float>(static_cast<double>(logit) - total) + row_score;
  }
};

__device__ inline void put(const TopKProblem& p, std::int64_t row, int place,
                           const Candidate& found) {
  p.row_best[row * p.k + place] = found.score;
  p.row_token[row * p.k + place] = found.token;
}

// Puts what is listed in order, by counting who comes before whom; false: it is too much.
__device__ inline bool rank_listed(const TopKProblem& p, std::int64_t row,
                                   const Candidate (&listed)[kListed], int count) {
  if (count > kListed) {
    return false;
  }
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) {
    int rank = 0;
    for (int j = 0; j < count; ++j) {
      rank += comes_before(listed[j], listed[i]) ? 1 : 0;
    }
    if (rank < p.k) {
      put(p, row, rank, listed[i]);
    }
  }
  for (int i = count + static_cast<int>(threadIdx.x); i < p.k; i += kThreads) {
    put(p, row, i, {-INFINITY, -1});
  }
  return true;
}

// One pass over the row for each of its best.
__device__ inline void pick_best(const TopKProblem& p, std::int64_t row, const RowScores& scores) {
  Candidate last{INFINITY, -1};
  for (int i = 0; i < p.k; ++i) {
    Candidate mine{-INFINITY, -1};
    for (std::int64_t c = threadIdx.x; c < scores.cols; c += kThreads) {
      const Candidate candidate{scores.of(scores.z[c]), static_cast<std::int32_t>(c)};
      if (candidate.score > -INFINITY && comes_before(last, candidate) &&
          (mine.token < 0 || comes_before(candidate, mine))) {
        mine = candidate;
      }
    }
    last = block_best(mine);
    if (threadIdx.x == 0) {
      put(p, row, i, last);
    }
    if (last.token < 0) {  // the same in every thread: there are no more
      for (int rest = i + static_cast<int>(threadIdx.x); rest < p.k; rest += kThreads) {
        put(p, row, rest, last);
      }
      break;
    }
  }
}

// The rest of a row whose log-sum is known. `list` gives the best in order, or says that it cannot;
// `forget` is told of tokens that were banned.
template <class Forget, class List>
__device__ void find_candidates(const TopKProblem& p, std::int64_t row, double sum, float kept,
                                const Forget& forget, const List& list) {
  const double total = p.normalised && !isnan(sum) ? 0.0 : sum;
  if (threadIdx.x == 0) {
    p.log_sums[row] = static_cast<float>(total);
  }
  ban_tokens(p, row);
  const RowScores scores{p.logits.row(row), p.logits.cols, total, p.row_scores[row]};
  const std::int32_t only = p.only != nullptr ? p.only[row] : -1;
  if (only >= 0) {
    for (int i = static_cast<int>(threadIdx.x); i < p.k; i += kThreads) {
      const float score = scores.of(kept);
      const bool there = i == 0 && score > -INFINITY;
      put(p, row, i, there ? Candidate{score, only} : Candidate{-INFINITY, -1});
    }
    return;
  }
  const std::int64_t bans =
      p.ban_offsets != nullptr ? p.ban_offsets[row + 1] - p.ban_offsets[row] : 0;
  if (bans > 0 && bans <= kFewBans) {
    forget();
  }
  if (p.k > kFewBest || bans > kFewBans || !list(scores)) {
    pick_best(p, row, scores);
  }
}

// Begins a row: false, with all done, where its score is -infinity. `kept` is the logit of the only
// token that may come, read before bans are written.
__device__ inline bool begin_row(const TopKProblem& p, std::int64_t row, float& kept) {
  if (threadIdx.x == 0) {
    p.next[row] = 0;
  }
  if (p.row_scores[row] == -INFINITY) {
    for (int i = static_cast<int>(threadIdx.x); i < p.k; i += kThreads) {
      put(p, row, i, {-INFINITY, -1});
    }
    return false;
  }
  const std::int32_t only = p.only != nullptr ? p.only[row] : -1;
  kept = only >= 0 ? p.logits.row(row)[only] : 0.0F;
  __syncthreads();
  return true;
}

}  // namespace yona::cuda
