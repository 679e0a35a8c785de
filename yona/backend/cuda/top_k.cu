// The best continuations of every sentence's beams.
//
// A block takes a row and reads it once: log-sum, and the largest of each thread's packs. The k-th
// largest of those is a bound that at least k tokens reach: only packs of threads that reach it are
// looked at again, and the few tokens found are put in order by counting who comes before whom. A
// row with too many equal tokens, or a large k, takes one pass for each of its best instead. The
// lists of a sentence's rows are then merged, by counting again.

#include "yona/backend/cuda/runtime/registration.h"
#include "yona/backend/cuda/vocabulary/top_k.cuh"

namespace yona::cuda {

namespace {

constexpr int kMergeThreads = 64;
constexpr int kMerged = 1024;  // candidates of a sentence that are merged by counting

// One reading of a row: log Σ exp (NaN when a logit is NaN or +infinity; exponentials of a pack are
// added in f32, packs in double), and in `largest` the largest logit of each thread's packs.
__device__ double read_row(const Rows<float>& logits, std::int64_t row,
                           float (&largest)[kThreads]) {
  float top = -INFINITY;  // of this thread so far
  double sum = 0;         // Σ exp(z - top)
  for (std::int64_t c = threadIdx.x * kPack; c < logits.cols; c += kThreads * kPack) {
    float z[kPack];
    logits.load(row, c, z);
    float pack_top = top;
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      z[i] = c + i < logits.cols ? z[i] : -INFINITY;
      pack_top = fmaxf(pack_top, z[i]);
    }
    const float base = pack_top == -INFINITY ? 0.0F : pack_top;
    float exponentials = 0.0F;
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      exponentials += expf(z[i] - base);
    }
    sum = sum * static_cast<double>(expf(top - base)) + static_cast<double>(exponentials);
    top = pack_top;
  }
  largest[threadIdx.x] = top;
  const float all = block_max(top);
  const float base = all == -INFINITY ? 0.0F : all;
  sum *= static_cast<double>(expf(top - base));
  sum = block_sum_of(sum);
  return static_cast<double>(base) + log(sum);  // -infinity for a sum of nothing
}

// Calls function(column) for the columns of the packs that thread `owner` reads in read_row(), one
// to each lane of the calling warp at a time.
template <class Function>
__device__ void for_packs_of(int owner, std::int64_t cols, const Function& function) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t first = owner * kPack + lane / kPack * (kThreads * kPack) + lane % kPack;
  for (std::int64_t c = first; c < cols; c += kLanes / kPack * kThreads * kPack) {
    function(c);
  }
}

// The largest of packs that have lost a banned token, again: a warp to each ban.
__device__ void forget_bans(const TopKProblem& p, std::int64_t row, float (&largest)[kThreads]) {
  const float* z = p.logits.row(row);
  for (std::int64_t i = p.ban_offsets[row] + threadIdx.x / kLanes; i < p.ban_offsets[row + 1];
       i += kWarps) {
    const int owner = p.bans[i] / kPack % kThreads;
    float top = -INFINITY;
    for_packs_of(owner, p.logits.cols, [&](std::int64_t c) { top = fmaxf(top, z[c]); });
    largest[owner] = warp_max(top);  // all writers have the same value
  }
  __syncthreads();
}

// The k-th largest of the threads' largest, by the first warp; -infinity when there are fewer.
__device__ float bound_of(const float (&largest)[kThreads], int k) {
  __shared__ float bound;
  if (threadIdx.x < kLanes) {
    float mine[kWarps];
#pragma unroll
    for (int i = 0; i < kWarps; ++i) {
      mine[i] = largest[i * kLanes + threadIdx.x];
    }
    float kth = -INFINITY;
    for (int round = 0; round < k; ++round) {
      float top = mine[0];
#pragma unroll
      for (int i = 1; i < kWarps; ++i) {
        top = fmaxf(top, mine[i]);
      }
      kth = warp_max(top);
      const unsigned holders = __ballot_sync(0xFFFFFFFFU, top == kth);
      if (static_cast<int>(threadIdx.x) == __ffs(static_cast<int>(holders)) - 1) {
        bool taken = false;  // one of them, once
#pragma unroll
        for (int i = 0; i < kWarps; ++i) {
          if (!taken && mine[i] == kth) {
            mine[i] = -INFINITY;
            taken = true;
          }
        }
      }
    }
    if (threadIdx.x == 0) {
      bound = kth;
    }
  }
  __syncthreads();
  return bound;
}

// The tokens whose score reaches that of the bound, in order. False: they are too many.
__device__ bool list_best(const TopKProblem& p, std::int64_t row, const RowScores& scores,
                          const float (&largest)[kThreads]) {
  __shared__ Candidate listed[kListed];
  __shared__ int count;
  if (threadIdx.x == 0) {
    count = 0;
  }
  const float bound = scores.of(bound_of(largest, p.k));
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  unsigned reach = __ballot_sync(
      0xFFFFFFFFU, scores.of(largest[threadIdx.x]) >= bound && largest[threadIdx.x] > -INFINITY);
  for (; reach != 0; reach &= reach - 1) {
    for_packs_of(warp * kLanes + __ffs(static_cast<int>(reach)) - 1, scores.cols,
                 [&](std::int64_t c) {
                   const float score = scores.of(scores.z[c]);
                   if (score >= bound && score > -INFINITY) {
                     const int at = atomicAdd(&count, 1);
                     if (at < kListed) {
                       listed[at] = {score, static_cast<std::int32_t>(c)};
                     }
                   }
                 });
  }
  __syncthreads();
  return rank_listed(p, row, listed, count);
}

__global__ void __launch_bounds__(kThreads) row_candidates_kernel(TopKProblem p) {
  __shared__ float largest[kThreads];
  const std::int64_t row = blockIdx.x;
  float kept = 0.0F;
  if (!begin_row(p, row, kept)) {
    return;
  }
  if (p.bans_first) {
    ban_tokens(p, row);
  }
  const double sum = read_row(p.logits, row, largest);
  find_candidates(
      p, row, sum, kept, [&] { forget_bans(p, row, largest); },
      [&](const RowScores& scores) { return list_best(p, row, scores, largest); });
}

// One thread's merge of a sentence with very many candidates. Rows come in order, so that of equal
// scores the first row's wins.
__device__ void merge_many(const TopKProblem& p, std::int64_t s) {
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

// A block to each sentence: its candidates lie by row, and in a row best first, so that of equal
// scores the earlier comes first.
__global__ void __launch_bounds__(kMergeThreads) merge_kernel(TopKProblem p) {
  __shared__ float found[kMerged];
  const std::int64_t s = blockIdx.x;
  const std::int64_t first = p.groups[s] * p.k;
  const std::int64_t count = p.groups[s + 1] * p.k - first;
  if (count > kMerged) {
    if (threadIdx.x == 0) {
      merge_many(p, s);
    }
    return;
  }
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kMergeThreads) {
    found[i] = p.row_best[first + i];
  }
  for (int i = static_cast<int>(threadIdx.x); i < p.k; i += kMergeThreads) {
    p.scores.row(s)[i] = -INFINITY;
    p.rows.row(s)[i] = 0;
    p.tokens.row(s)[i] = -1;
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kMergeThreads) {
    int rank = 0;
    for (int j = 0; j < count; ++j) {
      rank += found[j] > found[i] || (found[j] == found[i] && j < i) ? 1 : 0;
    }
    const std::int32_t token = p.row_token[first + i];
    if (token >= 0 && rank < p.k) {
      p.scores.row(s)[rank] = found[i];
      p.rows.row(s)[rank] = static_cast<std::int32_t>((first + i) / p.k);
      p.tokens.row(s)[rank] = token;
    }
  }
}

void top_k(const TopKArgs& args, Exec& exec) {
  check<NotImplemented>(args.logits.dtype == DType::f32,
                        "top_k: there is no kernel for {} in the cuda backend", args.logits.dtype);
  Scratch& scratch = exec_of(exec).scratch;
  scratch.begin(top_k_bytes(args), stream_of(exec));
  const TopKProblem problem = top_k_problem(args, scratch);
  if (args.logits.rows > 0) {
    row_candidates_kernel<<<static_cast<unsigned>(args.logits.rows), kThreads, 0,
                            stream_of(exec)>>>(problem);
  }
  merge_candidates(problem, stream_of(exec));
  check_launch("top_k");
}

const Registration registration([](Kernels& table) { table.top_k = top_k; });

}  // namespace

std::int64_t top_k_bytes(const TopKArgs& args) {
  const std::int64_t rows = args.logits.rows;
  const std::int64_t k = args.scores.cols;
  return Scratch::size_for<float>(rows * k) + Scratch::size_for<std::int32_t>(rows * k) +
         Scratch::size_for<std::int32_t>(rows);
}

TopKProblem top_k_problem(const TopKArgs& args, Scratch& scratch) {
  const std::int64_t rows = args.logits.rows;
  const std::int64_t k = args.scores.cols;
  return {rows_of<float>(args.logits),
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
}

void merge_candidates(const TopKProblem& problem, cudaStream_t stream) {
  if (problem.sentences > 0) {
    merge_kernel<<<static_cast<unsigned>(problem.sentences), kMergeThreads, 0, stream>>>(problem);
  }
}

}  // namespace yona::cuda
