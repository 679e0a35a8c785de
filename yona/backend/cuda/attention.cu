// Attention and its gradients: which kernel runs.
//
//   tokens       head size   GPU      forward                    backward
//   up to 64     32, 64      any      attention/short            attention/short_backward
//   65 to 256    64          Hopper   attention/head_per_block   attention/head_per_block_backward
//   65 to 256    32          Hopper   attention/wgmma_tiled      attention/head_per_block_backward
//   above 256    32, 64      Hopper   attention/wgmma_tiled      attention/wgmma_tiled_backward
//   above 64     32, 64      others   attention/mma_tiled        attention/mma_tiled_backward
//   a pattern    32, 64      Hopper   attention/wgmma_tiled      attention/wgmma_tiled_backward
//   any          to 512      any      attention/general          attention/general_backward
//
// All but the last row want bf16, d_k = d_v, keys and values for every head, no bias on the scores
// and rows aligned to 16 bytes; with a pattern also no dropout, whose keep mask would have a bit
// for every pair of tokens. Where cuDNN was found (attention/cudnn), it takes the place of the last
// four rows on Hopper where there is no pattern: heads of up to 128 channels, heads that
// share keys, no dropout. A sentence's tokens are the larger of its queries and keys. A batch has
// sentences of several rows of the table: each kernel is launched where its row has some, and
// passes over the others.

#include <algorithm>

#include "yona/backend/cuda/attention/cudnn.h"
#include "yona/backend/cuda/attention/general_backward.cuh"
#include "yona/backend/cuda/attention/head_per_block.cuh"
#include "yona/backend/cuda/norm/column_sums.h"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

// Up to this length the general kernels are not worth replacing.
constexpr std::int64_t kLongestGeneral = 32;

bool is_aligned(const View& view) { return rows_of<bf16>(view).vector && view.stride % 8 == 0; }

bool some_between(const AttentionArgs& args, int above, int up_to) {
  return yona::some_between(args.lengths_q, above, up_to) ||
         yona::some_between(args.lengths_k, above, up_to);
}

std::int64_t longest(const AttentionArgs& args) { return std::max(args.longest_q, args.longest_k); }

// Sentences of more than 64 tokens.
void attend_long(const AttentionArgs& args, CudaExec& exec) {
  exec.scratch.begin(keep_mask_bytes(args), exec.cuda_stream);
  const KeepMask keep_mask = make_keep_mask(args, exec);
  if (!wgmma_fits(args)) {
    launch_attention_mma_tiled(args, keep_mask, exec.cuda_stream);
    return;
  }
  const bool launched = some_between(args, kLongestShort, kLongestHeadPerBlock) &&
                        launch_attention_head_per_block(args, keep_mask, exec.cuda_stream);
  const int done_up_to = launched ? kLongestHeadPerBlock : kLongestShort;
  if (longest(args) > done_up_to) {
    launch_attention_wgmma_tiled(args, done_up_to, keep_mask, exec.cuda_stream);
  }
}

// What tensor cores want of a call, with or without a pattern.
bool has_mma_shape(const AttentionArgs& args) {
  return args.q.dtype == DType::bf16 && args.d_k == args.d_v &&
         (args.d_k == 32 || args.d_k == 64) && args.heads_per_kv == 1 && !args.bias &&
         is_aligned(args.q) && is_aligned(args.k) && is_aligned(args.v) && is_aligned(args.out);
}

bool has_mma_gradients(const AttentionBackwardArgs& args) {
  return is_aligned(args.dout) && is_aligned(args.dq) && is_aligned(args.dk) &&
         is_aligned(args.dv) && are_apart(args.dq, args.dk) && are_apart(args.dk, args.dv) &&
         are_apart(args.dq, args.dv);
}

// Attention by a pattern, within the same tokens, for the kernels that skip tiles.
bool tiles_fit(const AttentionArgs& args) {
  return args.pattern && has_mma_shape(args) && wgmma_fits(args) && !args.dropout &&
         args.q_offsets == args.k_offsets;
}

// Is this a case that cuDNN does better, if it takes it?
bool is_for_cudnn(const AttentionArgs& args) {
  return longest(args) > (mma_fits(args) ? kLongestHeadPerBlock : kLongestGeneral);
}

void attention(const AttentionArgs& args, Exec& exec) {
  if (args.sentences == 0 || args.longest_q == 0) {
    return;
  }
  if (is_for_cudnn(args) && launch_attention_cudnn(args, exec_of(exec))) {
    return;
  }
  if (tiles_fit(args)) {
    launch_attention_wgmma_tiled(args, 0, {}, stream_of(exec));
    return;
  }
  if (!mma_fits(args)) {
    launch_attention_general(args, exec);
    return;
  }
  launch_attention_short(args, stream_of(exec));
  if (longest(args) > kLongestShort) {
    attend_long(args, exec_of(exec));
  }
}

// The sums over rows that were asked for, from the rows that were written.
void add_sums(const AttentionBackwardArgs& args, Exec& exec) {
  if (args.dq_sums) {
    add_rows(args.dq, args.dq_sums, exec);
  }
  if (args.dv_sums) {
    add_rows(args.dv, args.dv_sums, exec);
  }
}

// Adds up partial sums, where they were asked for.
void add_partials(const AttentionBackwardArgs& args, const GradientPartials& partials,
                  std::int64_t dq_slices, std::int64_t dv_slices, CudaExec& exec) {
  const std::int64_t cols = args.forward.heads * args.forward.d_k;
  const auto out = [](const View& sums) { return sums ? sums.row<float>(0) : nullptr; };
  exec.sums.add({{partials.dq, out(args.dq_sums), dq_slices, cols},
                 {partials.dv, out(args.dv_sums), dv_slices, cols}},
                exec.cuda_stream);
}

// On Hopper, with sentences of more than 64 tokens. The sums over rows are formed on the way unless
// the tiled kernel runs.
void backward_wgmma(const AttentionBackwardArgs& args, CudaExec& exec) {
  const AttentionArgs& forward = args.forward;
  const int done_up_to = longest_head_per_block(forward);
  const bool some_are_longer = longest(forward) > done_up_to;
  exec.scratch.begin(
      some_are_longer ? attention_backward_wgmma_tiled_bytes(forward) : keep_mask_bytes(forward),
      exec.cuda_stream);
  QueryTable queries;
  const KeepMask keep_mask = some_are_longer ? make_keep_mask(forward, args.dout, exec, queries)
                                             : keep_mask_of_forward(forward, exec);
  const std::int64_t cols = forward.heads * forward.d_k;
  GradientPartials partials;
  if (!some_are_longer) {
    exec.sums.begin(2 * forward.sentences * cols, exec.cuda_stream);
    partials.dq = args.dq_sums ? exec.sums.take(forward.sentences * cols) : nullptr;
    partials.dv = args.dv_sums ? exec.sums.take(forward.sentences * cols) : nullptr;
  }
  launch_attention_backward_short(args, partials, exec.cuda_stream);
  if (some_between(forward, kLongestShort, done_up_to)) {
    launch_attention_backward_head_per_block(args, keep_mask, partials, exec.cuda_stream);
  }
  if (some_are_longer) {
    launch_attention_backward_wgmma_tiled(args, done_up_to, keep_mask, queries, exec.cuda_stream);
    add_sums(args, exec);
  } else {
    add_partials(args, partials, forward.sentences, forward.sentences, exec);
  }
}

// By mma.sync. Both kernels leave partial sums over rows.
void backward_mma(const AttentionBackwardArgs& args, CudaExec& exec) {
  const AttentionArgs& forward = args.forward;
  const bool some_are_long = longest(forward) > kLongestShort;
  const std::int64_t cols = forward.heads * forward.d_k;
  const std::int64_t key_slices =
      GradientPartials::slices(forward.sentences, forward.k.rows, some_are_long);
  const std::int64_t query_slices =
      GradientPartials::slices(forward.sentences, forward.q.rows, some_are_long);
  exec.scratch.begin(some_are_long ? attention_backward_mma_tiled_bytes(forward) : 0,
                     exec.cuda_stream);
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
    launch_attention_backward_mma_tiled(args, partials, exec);
  }
  add_partials(args, partials, key_slices, query_slices, exec);
}

void backward_tiles(const AttentionBackwardArgs& args, CudaExec& exec) {
  exec.scratch.begin(attention_backward_wgmma_tiled_bytes(args.forward), exec.cuda_stream);
  QueryTable queries;
  const KeepMask none = make_keep_mask(args.forward, args.dout, exec, queries);
  launch_attention_backward_wgmma_tiled(args, 0, none, queries, exec.cuda_stream);
  add_sums(args, exec);
}

void attention_backward(const AttentionBackwardArgs& args, Exec& exec) {
  const AttentionArgs& forward = args.forward;
  if (!has_work(forward)) {
    return;
  }
  if (is_for_cudnn(forward) && launch_attention_backward_cudnn(args, exec_of(exec))) {
    add_sums(args, exec);
  } else if (tiles_fit(forward) && has_mma_gradients(args) && !args.dbias) {
    backward_tiles(args, exec_of(exec));
  } else if (args.dbias || !mma_fits(args)) {
    launch_attention_backward_general(args, exec);
    add_sums(args, exec);
  } else if (longest(forward) > kLongestShort && wgmma_fits(forward)) {
    backward_wgmma(args, exec_of(exec));
  } else {
    backward_mma(args, exec_of(exec));
  }
}

const Registration registration([](Kernels& table) {
  table.attention = attention;
  table.attention_backward = attention_backward;
  table.attention_backward.gradient_sums = GradientSums::yes;
});

}  // namespace

bool mma_fits(const AttentionArgs& args) { return has_mma_shape(args) && !args.pattern; }

bool mma_fits(const AttentionBackwardArgs& args) {
  return mma_fits(args.forward) && has_mma_gradients(args) && short_backward_fits(args.forward);
}

}  // namespace yona::cuda
