// The best continuations of every sentence's beams.
//
// A block takes a row and reads it once: log-sum, and the largest of each thread's packs. The k-th
// largest of those is a bound that at least k tokens reach: only packs of threads that reach it are
// looked at again, and the few tokens found are put in order by counting who comes before whom. A
// row with too many equal tokens, or a large k, takes one pass for each of its best instead. The
// lists of a sentence's rows are then merged, by counting again.

#include "yona/backend/cuda/block.cuh"
#include "yona/backend/cuda/registration.h"
#include "yona/backend/kernel_args.h"

namespace yona::cuda {

namespace {

constexpr int kListed = 512;  // tokens of a row that reach the bound, at most
constexpr int kFewBest = 64;  // k up to which rows are read once
constexpr int kFewBans = 8;   // of a row, for which it is not read again
constexpr int kMergeThreads = 64;
constexpr int kMerged = 1024;  // candidates of a sentence that are merged by counting

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

// One reading of a row: log Σ exp (NaN when a logit is NaN or +infinity; powers of a pack are added
// in f32, packs in double), and in `largest` the largest logit of each thread's packs.
__device__ double read_row(const Rows<float>& logits, std::int64_t row,
                           float (&largest)[kThreads]) {
  __shared__ double parts[kWarps];
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
    float powers = 0.0F;
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      powers += expf(z[i] - base);
    }
    sum = sum * static_cast<double>(expf(top - base)) + static_cast<double>(powers);
    top = pack_top;
  }
  largest[threadIdx.x] = top;
  const float all = block_max(top);
  const float base = all == -INFINITY ? 0.0F : all;
  sum *= static_cast<double>(expf(top - base));
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
    largest[owner] = warp_max(top);  // equal, whoever writes it
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

__device__ void put(const TopKProblem& p, std::int64_t row, int place, const Candidate& found) {
  p.row_best[row * p.k + place] = found.score;
  p.row_token[row * p.k + place] = found.token;
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
__device__ void pick_best(const TopKProblem& p, std::int64_t row, const RowScores& scores) {
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

__global__ void __launch_bounds__(kThreads) row_candidates_kernel(TopKProblem p) {
  __shared__ float largest[kThreads];
  const std::int64_t row = blockIdx.x;
  const float row_score = p.row_scores[row];
  if (threadIdx.x == 0) {
    p.next[row] = 0;
  }
  if (row_score == -INFINITY) {
    for (int i = static_cast<int>(threadIdx.x); i < p.k; i += kThreads) {
      put(p, row, i, {-INFINITY, -1});
    }
    return;
  }
  const float* z = p.logits.row(row);
  const std::int32_t only = p.only != nullptr ? p.only[row] : -1;
  const float kept = only >= 0 ? z[only] : 0.0F;
  __syncthreads();  // `kept` is read before bans are written
  if (p.bans_first) {
    ban_tokens(p, row);
  }
  const double sum = read_row(p.logits, row, largest);
  const double total = p.normalised && !isnan(sum) ? 0.0 : sum;
  if (threadIdx.x == 0) {
    p.log_sums[row] = static_cast<float>(total);
  }
  ban_tokens(p, row);
  const RowScores scores{z, p.logits.cols, total, row_score};
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
    forget_bans(p, row, largest);
  }
  if (p.k > kFewBest || bans > kFewBans || !list_best(p, row, scores, largest)) {
    pick_best(p, row, scores);
  }
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
    merge_kernel<<<static_cast<unsigned>(args.sentences), kMergeThreads, 0, stream_of(exec)>>>(
        problem);
  }
  check_launch("top_k");
}

const Registration registration([](Kernels& table) { table.top_k = top_k; });

}  // namespace
}  // namespace yona::cuda
