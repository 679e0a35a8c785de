// Attention backward over ragged sentences, general version: D of every query, then the two passes,
// then the sums of what the bias' (or additive attention's vector's) gradient got from each warp.

#include <algorithm>

#include "yona/backend/cuda/attention/general_backward.cuh"
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
  problem.items = problem.in.parts() * problem.in.tiles;

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
  table.additive_attention_backward = additive_attention_backward;
});

}  // namespace

bool has_work(const AttentionArgs& args) {
  return args.sentences > 0 && (args.longest_q > 0 || args.longest_k > 0);
}

void launch_attention_backward_general(const AttentionBackwardArgs& args, Exec& exec) {
  with_type(args.forward.q.dtype, "attention_backward", [&](auto t) {
    with_heads(args.forward, "attention_backward",
               [&](auto size) { run<decltype(t), decltype(size)>(args, {}, {}, exec); });
  });
}

}  // namespace yona::cuda
