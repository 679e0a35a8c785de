// The best continuations of every sentence's beams. A block takes a row: log-sum, bans, then its
// best k, one pass over the row for each; the lists of a sentence's rows, each in order, are then
// merged by one thread.

#include "yona/backend/cuda/block.cuh"
#include "yona/backend/cuda/registration.h"
#include "yona/backend/kernel_args.h"

namespace yona::cuda {

namespace {

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

struct Candidate {
  float score;
  std::int32_t token;  // -1: none
};

__device__ bool comes_before(const Candidate& a, const Candidate& b) {
  return a.score != b.score ? a.score > b.score : a.token < b.token;
}

__device__ void ban_tokens(const TopKProblem& p, std::int64_t row) {
  if (p.ban_offsets != nullptr) {
    for (std::int64_t i = p.ban_offsets[row] + threadIdx.x; i < p.ban_offsets[row + 1];
         i += kThreads) {
      p.logits.row(row)[p.bans[i]] = -INFINITY;
    }
  }
  __syncthreads();
}

// log Σ exp; NaN when a logit is NaN or +infinity. Powers are added in double.
__device__ double log_sum_of(const float* z, std::int64_t cols) {
  __shared__ double parts[kWarps];
  float largest = -INFINITY;
  for (std::int64_t c = threadIdx.x; c < cols; c += kThreads) {
    largest = fmaxf(largest, z[c]);
  }
  largest = block_max(largest);
  const float base = largest == -INFINITY ? 0.0F : largest;
  double sum = 0;
  for (std::int64_t c = threadIdx.x; c < cols; c += kThreads) {
    sum += static_cast<double>(expf(z[c] - base));
  }
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xFFFFFFFFU, sum, distance);
  }
  if (threadIdx.x % kLanes == 0) {
    parts[threadIdx.x / kLanes] = sum;
  }
  __syncthreads();
  sum = 0;
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) {
    sum += parts[warp];
  }
  __syncthreads();
  return static_cast<double>(base) + log(sum);  // -infinity for a sum of nothing
}

// The best candidate of the block's threads.
__device__ Candidate block_best(Candidate mine) {
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

__global__ void __launch_bounds__(kThreads) row_candidates_kernel(TopKProblem p) {
  const std::int64_t row = blockIdx.x;
  const std::int64_t cols = p.logits.cols;
  const float* z = p.logits.row(row);
  const std::int32_t only = p.only != nullptr ? p.only[row] : -1;
  const float kept = only >= 0 ? z[only] : 0.0F;
  __syncthreads();  // `kept` is read before bans are written
  if (p.bans_first) {
    ban_tokens(p, row);
  }
  const double sum = log_sum_of(z, cols);
  const double total = p.normalised && !isnan(sum) ? 0.0 : sum;
  ban_tokens(p, row);
  const auto score_of = [&](float logit) {
    return static_cast<float>(static_cast<double>(logit) - total) + p.row_scores[row];
  };
  float* best = p.row_best + row * p.k;
  std::int32_t* token = p.row_token + row * p.k;
  Candidate last{INFINITY, -1};
  for (int i = 0; i < p.k; ++i) {
    Candidate mine{-INFINITY, -1};
    if (only >= 0) {
      const float score = score_of(kept);
      mine = i == 0 && score > -INFINITY ? Candidate{score, only} : mine;
    } else {
      for (std::int64_t c = threadIdx.x; c < cols; c += kThreads) {
        const Candidate candidate{score_of(z[c]), static_cast<std::int32_t>(c)};
        if (candidate.score > -INFINITY && comes_before(last, candidate) &&
            (mine.token < 0 || comes_before(candidate, mine))) {
          mine = candidate;
        }
      }
    }
    last = block_best(mine);
    if (threadIdx.x == 0) {
      best[i] = last.score;
      token[i] = last.token;
    }
    if (last.token < 0) {  // the same in every thread: there are no more
      for (int rest = i + static_cast<int>(threadIdx.x); rest < p.k; rest += kThreads) {
        token[rest] = -1;
      }
      break;
    }
  }
  if (threadIdx.x == 0) {
    p.log_sums[row] = static_cast<float>(total);
    p.next[row] = 0;
  }
}

// A thread to each sentence. Rows come in order, so that of equal scores the first row's wins.
__global__ void __launch_bounds__(kThreads) merge_kernel(TopKProblem p) {
  const std::int64_t s = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (s >= p.sentences) {
    return;
  }
  for (int i = 0; i < p.k; ++i) {
    std::int64_t from = -1;
    float score = -INFINITY;
    for (std::int64_t row = p.groups[s]; row < p.groups[s + 1]; ++row) {
      const std::int64_t at = row * p.k + p.next[row];
      if (p.next[row] < p.k && p.row_token[at] >= 0 && p.row_best[at] > score) {
        from = row;
        score = p.row_best[at];
      }
    }
    p.scores.row(s)[i] = score;
    p.rows.row(s)[i] = from < 0 ? 0 : static_cast<std::int32_t>(from);
    p.tokens.row(s)[i] = from < 0 ? -1 : p.row_token[from * p.k + p.next[from]];
    if (from >= 0) {
      ++p.next[from];
    }
  }
}

void top_k(const TopKArgs& args, Exec& exec) {
  check<NotImplemented>(args.logits.dtype == DType::f32,
                        "top_k: there is no kernel for {} in the cuda backend", args.logits.dtype);
  const std::int64_t rows = args.logits.rows;
  const std::int64_t k = args.scores.cols;
  Scratch& scratch = exec_of(exec).scratch;
  scratch.begin(Scratch::size_for<float>(rows * k) + Scratch::size_for<std::int32_t>(rows * k) +
                    Scratch::size_for<std::int32_t>(rows),
                stream_of(exec));
  TopKProblem problem{rows_of<float>(args.logits),
                      args.row_scores,
                      args.groups,
                      args.sentences,
                      args.ban_offsets,
                      args.bans,
                      args.bans_first,
                      args.only,
                      args.normalised,
                      static_cast<int>(k),
                      rows_of<float>(args.scores),
                      rows_of<std::int32_t>(args.tokens),
                      rows_of<std::int32_t>(args.rows),
                      args.log_sums.row<float>(0),
                      scratch.take<float>(rows * k),
                      scratch.take<std::int32_t>(rows * k),
                      scratch.take<std::int32_t>(rows)};
  if (rows > 0) {
    row_candidates_kernel<<<static_cast<unsigned>(rows), kThreads, 0, stream_of(exec)>>>(problem);
  }
  if (args.sentences > 0) {
    merge_kernel<<<blocks_for(args.sentences, kThreads), kThreads, 0, stream_of(exec)>>>(problem);
  }
  check_launch("top_k");
}

const Registration registration([](Kernels& table) { table.top_k = top_k; });

}  // namespace
}  // namespace yona::cuda
