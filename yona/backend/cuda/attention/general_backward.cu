// Attention backward over ragged sentences, general version: D of every query, then the two passes,
// then the sums of what the bias' (or additive attention's vector's) gradient got from each warp.

#include <algorithm>

#include "yona/backend/cuda/attention/general_backward.cuh"
#include "yona/backend/cuda/attention/head_per_block.cuh"
#include "yona/backend/cuda/attention/mma.cuh"
#include "yona/backend/cuda/attention/partial_sums.cuh"
#include "yona/backend/cuda/attention/wgmma_tiled.cuh"
#include "yona/backend/cuda/norm/column_sums.h"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

constexpr unsigned kSummingBlocks = 32;  // of each head, where warps keep partial sums

// A warp to each row and head.
template <class T>
__global__ void __launch_bounds__(kThreads)
    delta_kernel(Rows<T> out, Rows<T> dout, std::int64_t rows, int heads, int d, float* delta) {
  const std::int64_t item =
      static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  if (item >= rows * heads) {
    return;
  }
  const std::int64_t row = item / heads;
  const int first = static_cast<int>(item % heads) * d;
  float sum = 0.0F;
  for (int c = static_cast<int>(threadIdx.x) % kLanes; c < d; c += kLanes) {
    sum += to_float(out.row(row)[first + c]) * to_float(dout.row(row)[first + c]);
  }
  sum = warp_sum(sum);
  if (threadIdx.x % kLanes == 0) {
    delta[item] = sum;
  }
}

// D of every query and head: delta [T_q, h].
template <class T>
void find_delta(const AttentionArgs& forward, const View& dout, float* delta, cudaStream_t stream) {
  const std::int64_t items = forward.q.rows * forward.heads;
  if (items > 0) {
    delta_kernel<<<blocks_for(items, kWarps), kThreads, 0, stream>>>(
        rows_of<T>(forward.out), rows_of<T>(dout), forward.q.rows, static_cast<int>(forward.heads),
        static_cast<int>(forward.d_v), delta);
    check_launch("attention_backward");
  }
}

template <class T, class Size>
void run(const AttentionBackwardArgs& args, const View& vector, const View& dvector, Exec& exec) {
  const AttentionArgs& forward = args.forward;
  const cudaStream_t stream = stream_of(exec);
  AttentionBackwardProblem<T> problem;
  problem.in = problem_of<T>(forward, vector);
  problem.in.tiles = static_cast<int>(blocks_for(forward.longest_q, Size::kBlockRows));
  problem.dout = rows_of<T>(args.dout);
  problem.dq = rows_of<T>(args.dq);
  problem.dk = rows_of<T>(args.dk);
  problem.dv = rows_of<T>(args.dv);
  problem.accumulate_dq = args.accumulate_dq;
  problem.accumulate_dk = args.accumulate_dk;
  problem.accumulate_dv = args.accumulate_dv;
  problem.items = forward.sentences * problem.in.tiles;

  const bool sums = args.dbias || dvector;
  const auto blocks = static_cast<unsigned>(
      sums ? std::min<std::int64_t>(problem.items, kSummingBlocks) : problem.items);
  const std::int64_t strands = static_cast<std::int64_t>(blocks) * Size::kWarpCount;
  const std::int64_t bias_cols = args.dbias ? args.dbias.cols : 0;
  const std::int64_t deltas = forward.q.rows * forward.heads;
  const std::int64_t bias_sums = sums ? forward.heads * strands * bias_cols : 0;
  const std::int64_t vector_sums = dvector ? forward.heads * strands * forward.d_k : 0;
  Scratch& scratch = exec_of(exec).scratch;
  scratch.begin(Scratch::size_for<float>(deltas), stream);
  auto* delta = scratch.take<float>(deltas);
  PendingSums& pending = exec_of(exec).sums;
  pending.begin(bias_sums + vector_sums, stream);
  problem.delta = {delta, forward.heads, forward.heads, false};
  problem.dbias = args.dbias ? pending.take(bias_sums) : nullptr;
  problem.dvector = dvector ? pending.take(vector_sums) : nullptr;
  if (problem.dbias != nullptr) {
    check_cuda(cudaMemsetAsync(problem.dbias, 0,
                               sizeof(float) * static_cast<std::size_t>(bias_sums), stream),
               "attention_backward");
  }
  if (forward.longest_q > 0) {
    find_delta<T>(forward, args.dout, delta, stream);
    launch_query_gradients<T, Size>(problem, blocks, stream);
  }
  if (forward.longest_k > 0 && are_apart(args.dk, args.dv)) {
    launch_key_gradients<T, Size>(problem, forward.longest_k, stream);
  } else if (forward.longest_k > 0) {  // one after the other, as they add to the same elements
    AttentionBackwardProblem<T> alone = problem;
    alone.dv = {};
    launch_key_gradients<T, Size>(alone, forward.longest_k, stream);
    alone.dv = problem.dv;
    alone.dk = {};
    launch_key_gradients<T, Size>(alone, forward.longest_k, stream);
  }
  for (std::int64_t head = 0; head < forward.heads && sums; ++head) {
    if (args.dbias) {
      pending.add({{problem.dbias + head * strands * bias_cols, args.dbias.row<float>(head),
                    strands, bias_cols}},
                  stream);
    }
    if (dvector) {
      pending.add({{problem.dvector + head * strands * forward.d_k, dvector.row<float>(head),
                    strands, forward.d_k}},
                  stream);
    }
  }
  if (args.dbias) {  // not of a parameter: other gradients are made of it
    pending.flush(stream);
  }
}

// Sentences without queries still have gradients of keys to write: zeros.
bool has_work(const AttentionArgs& args) {
  return args.sentences > 0 && (args.longest_q > 0 || args.longest_k > 0);
}

// Adds up what was written, where the kernels did not.
void add_sums(const AttentionBackwardArgs& args, Exec& exec) {
  if (args.dq_sums) {
    add_rows(args.dq, args.dq_sums, exec);
  }
  if (args.dv_sums) {
    add_rows(args.dv, args.dv_sums, exec);
  }
}

// The short sentences, those of which a block has a whole head, and the longest by warpgroups. The
// sums over rows are found on the way unless there are such.
void run_group(const AttentionBackwardArgs& args, CudaExec& exec) {
  const AttentionArgs& forward = args.forward;
  const int whole = longest_whole(forward);
  const bool some_are_longer = std::max(forward.longest_q, forward.longest_k) > whole;
  exec.scratch.begin(
      some_are_longer ? attention_backward_group_bytes(forward) : decision_bytes(forward),
      exec.cuda_stream);
  QueryTable queries;
  const DecisionTable decisions = some_are_longer
                                      ? make_decisions(forward, args.dout, exec, queries)
                                      : decisions_of_forward(forward, exec);
  const std::int64_t cols = forward.heads * forward.d_k;
  GradientPartials partials;
  if (!some_are_longer) {
    exec.sums.begin(2 * forward.sentences * cols, exec.cuda_stream);
    partials.dq = args.dq_sums ? exec.sums.take(forward.sentences * cols) : nullptr;
    partials.dv = args.dv_sums ? exec.sums.take(forward.sentences * cols) : nullptr;
  }
  launch_attention_backward_short(args, partials, exec.cuda_stream);
  if (some_between(forward.lengths_q, kLongestShort, whole) ||
      some_between(forward.lengths_k, kLongestShort, whole)) {
    launch_attention_backward_whole(args, decisions, partials, exec.cuda_stream);
  }
  if (some_are_longer) {
    launch_attention_backward_group(args, whole, decisions, queries, exec.cuda_stream);
    add_sums(args, exec);
    return;
  }
  const auto out = [](const View& sums) { return sums ? sums.row<float>(0) : nullptr; };
  exec.sums.add({{partials.dq, out(args.dq_sums), forward.sentences, cols},
                 {partials.dv, out(args.dv_sums), forward.sentences, cols}},
                exec.cuda_stream);
}

// With tensor cores: the short sentences and the long ones, and the sums over rows that are asked
// for, of which both leave parts.
void run_mma(const AttentionBackwardArgs& args, CudaExec& exec) {
  const AttentionArgs& forward = args.forward;
  const bool some_are_long = std::max(forward.longest_q, forward.longest_k) > kLongestShort;
  if (some_are_long && group_fits(forward)) {
    run_group(args, exec);
    return;
  }
  const std::int64_t cols = forward.heads * forward.d_k;
  const std::int64_t key_slices =
      GradientPartials::slices(forward.sentences, forward.k.rows, some_are_long);
  const std::int64_t query_slices =
      GradientPartials::slices(forward.sentences, forward.q.rows, some_are_long);
  exec.scratch.begin(some_are_long ? attention_backward_long_bytes(forward) : 0, exec.cuda_stream);
  exec.sums.begin((key_slices + query_slices) * cols, exec.cuda_stream);
  const auto take = [&](const View& wanted, std::int64_t slices) -> float* {
    if (!wanted) {
      return nullptr;
    }
    float* partials = exec.sums.take(slices * cols);
    if (some_are_long) {  // then there are slices without rows
      check_cuda(
          cudaMemsetAsync(partials, 0, sizeof(float) * static_cast<std::size_t>(slices * cols),
                          exec.cuda_stream),
          "attention_backward");
    }
    return partials;
  };
  const GradientPartials partials{take(args.dq_sums, key_slices), take(args.dv_sums, query_slices),
                                  some_are_long};
  launch_attention_backward_short(args, partials, exec.cuda_stream);
  if (some_are_long) {
    launch_attention_backward_long(args, partials, exec);
  }
  const auto out = [](const View& sums) { return sums ? sums.row<float>(0) : nullptr; };
  exec.sums.add({{partials.dq, out(args.dq_sums), key_slices, cols},
                 {partials.dv, out(args.dv_sums), query_slices, cols}},
                exec.cuda_stream);
}

void attention_backward(const AttentionBackwardArgs& args, Exec& exec) {
  if (!has_work(args.forward)) {
    return;
  }
  if (!args.dbias && mma_fits(args)) {
    run_mma(args, exec_of(exec));
    return;
  }
  with_type(args.forward.q.dtype, "attention_backward", [&](auto t) {
    with_heads(args.forward, "attention_backward",
               [&](auto size) { run<decltype(t), decltype(size)>(args, {}, {}, exec); });
  });
  add_sums(args, exec);
}

void additive_attention_backward(const AdditiveAttentionBackwardArgs& args, Exec& exec) {
  if (!has_work(args.attention.forward)) {
    return;
  }
  with_type(args.attention.forward.q.dtype, "additive_attention_backward", [&](auto t) {
    with_heads(args.attention.forward, "additive_attention_backward", [&](auto /*size*/) {
      run<decltype(t), AdditiveHeads>(args.attention, args.vector, args.dvector, exec);
    });
  });
}

const Registration registration([](Kernels& table) {
  table.attention_backward = attention_backward;
  table.attention_backward.gradient_sums = GradientSums::yes;
  table.additive_attention_backward = additive_attention_backward;
});

}  // namespace
}  // namespace yona::cuda
