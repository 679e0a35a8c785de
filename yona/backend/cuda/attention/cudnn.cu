// cuDNN's attention for rows of ragged sentences. Sentences of one length need no more than
// strides; others need their lengths and offsets on the device, which a small kernel writes, and
// plans for rounded sizes, because a plan takes up to half a second to make.

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <dlfcn.h>
#include <numeric>
#include <string_view>
#include <vector>

#include "yona/backend/cuda/attention/cudnn.h"
#include "yona/backend/cuda/common/rows.cuh"
#include "yona/backend/cuda/runtime/capability.h"
#include "yona/base/log.h"

namespace yona::cuda {

namespace {

using cudnn::AttentionMemory;
using cudnn::AttentionShape;
using cudnn::Pass;

constexpr std::int64_t kMostWorkspace = std::int64_t{512} << 20U;
// Of one head of one sentence; what needs more is for kernels without such a workspace.
constexpr std::int64_t kMostWorkspaceOfHead = std::int64_t{4} << 30U;

bool is_bf16_row(const View& view) {
  return view.dtype == DType::bf16 && rows_of<bf16>(view).vector && view.stride % 8 == 0;
}

bool fits(const AttentionArgs& args) {
  const bool same_rows = args.q_offsets == args.k_offsets;
  const bool sees = args.mask == Mask::none || (args.mask == Mask::causal && same_rows);
  const bool has_keys = same_rows || !some_up_to(args.lengths_k, 1);
  return is_hopper() && sees && has_keys && !args.pattern && !args.bias && !args.dropout &&
         args.scale > 0.0F && args.d_k == args.d_v && args.d_k % 8 == 0 && args.d_k <= 128 &&
         args.longest_q > 1 && args.longest_k > 1 && is_bf16_row(args.q) && is_bf16_row(args.k) &&
         is_bf16_row(args.v) && is_bf16_row(args.out);
}

bool fits(const AttentionBackwardArgs& args) {
  const AttentionArgs& forward = args.forward;
  return fits(forward) && !args.dbias && !args.accumulate_dq && !args.accumulate_dk &&
         !args.accumulate_dv && is_bf16_row(args.dout) && is_bf16_row(args.dq) &&
         is_bf16_row(args.dk) && is_bf16_row(args.dv) &&
         forward.longest_q * forward.longest_k * 2 <= kMostWorkspaceOfHead;
}

std::int64_t round_up(std::int64_t x, std::int64_t to) { return (x + to - 1) / to * to; }

// Few different lengths, and not much longer than needed.
std::int64_t rounded_length(std::int64_t longest) {
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(longest)));
  return round_up(longest, std::max<std::int64_t>(power / 4, 64));
}

AttentionShape shape_of(const AttentionArgs& args) {
  AttentionShape shape;
  // Lengths that come often enough to be worth a plan of their own.
  const bool is_uniform = args.q.rows == args.sentences * args.longest_q &&
                          args.k.rows == args.sentences * args.longest_k &&
                          args.longest_q % 64 == 0 && args.longest_k % 64 == 0;
  shape.ragged = !is_uniform;
  shape.sequences = args.sentences;
  shape.queries = is_uniform ? args.longest_q : rounded_length(args.longest_q);
  shape.keys = is_uniform ? args.longest_k : rounded_length(args.longest_k);
  shape.heads = args.heads;
  shape.kv_heads = args.heads / args.heads_per_kv;
  shape.channels = args.d_k;
  shape.causal = args.mask == Mask::causal;
  shape.q = args.q.stride;
  shape.k = args.k.stride;
  shape.v = args.v.stride;
  shape.out = args.out.stride;
  shape.lse = args.lse.stride;
  return shape;
}

void set_gradients(const AttentionBackwardArgs& args, AttentionShape& shape) {
  shape.dout = args.dout.stride;
  shape.dq = args.dq.stride;
  shape.dk = args.dk.stride;
  shape.dv = args.dv.stride;
}

// How many sentences are attended to at a time: all, unless the backward pass's workspace of two
// bytes for every score would be large.
std::int64_t sentences_at_a_time(const AttentionShape& shape, Pass pass) {
  std::int64_t groups = 1;
  if (pass == Pass::backward) {
    const std::int64_t most =
        std::max<std::int64_t>(kMostWorkspace / (shape.heads * shape.queries * shape.keys * 2), 1);
    groups = (shape.sequences + most - 1) / most;
  }
  const std::int64_t even = (shape.sequences + groups - 1) / groups;
  return shape.ragged ? static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(even)))
                      : even;
}

// How many heads: all, unless one sentence alone needs a large workspace. Fours, so that the rows
// of lse stay aligned, and whole groups that share keys.
std::int64_t heads_at_a_time(const AttentionShape& shape, Pass pass) {
  const std::int64_t bytes_of_head = shape.queries * shape.keys * 2;
  if (pass == Pass::forward || shape.heads * bytes_of_head <= kMostWorkspace) {
    return shape.heads;
  }
  const std::int64_t unit = std::lcm(std::int64_t{4}, shape.heads / shape.kv_heads);
  if (shape.heads % unit != 0) {
    return shape.heads;
  }
  std::int64_t heads = unit;
  for (std::int64_t more = unit; more <= shape.heads; more += unit) {
    if (shape.heads % more == 0 && more * bytes_of_head <= kMostWorkspace) {
      heads = more;
    }
  }
  return heads;
}

// Lengths and offsets of sentences for cuDNN; sentences that are not there have length 0.
struct Tables {
  static constexpr int kStrides = 9;
  const std::int64_t* q_rows = nullptr;
  const std::int64_t* k_rows = nullptr;
  std::int64_t sentences = 0;  // those that are there
  std::int64_t padded = 0;
  std::int32_t* q_lengths = nullptr;
  std::int32_t* k_lengths = nullptr;
  std::int64_t* offsets = nullptr;  // [kStrides][padded + 1]
  std::int64_t strides[kStrides] = {};
  bool of_keys[kStrides] = {};
};

__global__ void fill_tables(const Tables tables) {
  const std::int64_t s = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (s > tables.padded) {
    return;
  }
  const std::int64_t at = min(s, tables.sentences);
  const std::int64_t next = min(s + 1, tables.sentences);
  if (s < tables.padded) {
    tables.q_lengths[s] = static_cast<std::int32_t>(tables.q_rows[next] - tables.q_rows[at]);
    tables.k_lengths[s] = static_cast<std::int32_t>(tables.k_rows[next] - tables.k_rows[at]);
  }
  for (int i = 0; i < Tables::kStrides; ++i) {
    const std::int64_t row = tables.of_keys[i] ? tables.k_rows[at] : tables.q_rows[at];
    tables.offsets[i * (tables.padded + 1) + s] = row * tables.strides[i];
  }
}

// One call of attention: its addresses, and the tables if sentences differ in length.
class Call {
 public:
  Call(const AttentionArgs& args, const AttentionShape& shape, Pass pass)
      : args_(args), shape_(shape), pass_(pass) {
    memory_.q = args.q.data;
    memory_.k = args.k.data;
    memory_.v = args.v.data;
    memory_.out = args.out.data;
    memory_.lse = args.lse.data;
  }
  void set(const AttentionBackwardArgs& args) {
    memory_.dout = args.dout.data;
    memory_.dq = args.dq.data;
    memory_.dk = args.dk.data;
    memory_.dv = args.dv.data;
  }

  // False: cuDNN has no kernel for it.
  bool run(CudaExec& exec) {
    cudnn::Attention& library = *exec.cudnn.get();
    const std::int64_t heads = heads_at_a_time(shape_, pass_);
    const std::int64_t sentences = sentences_at_a_time(shape_, pass_);
    std::int64_t workspace = 0;
    std::int64_t padded = 0;
    for (std::int64_t first = 0; first < shape_.sequences; first += sentences) {
      const auto bytes = library.workspace_bytes(part_of(first, sentences, heads), pass_);
      if (!bytes) {
        return false;
      }
      workspace = std::max(workspace, *bytes);
      padded += sentences;
    }
    exec.scratch.begin(Scratch::size_for<char>(workspace) + tables_bytes(padded), exec.cuda_stream);
    memory_.workspace = exec.scratch.take<char>(workspace);
    if (shape_.ragged) {
      make_tables(padded, exec);
    }
    for (std::int64_t first = 0; first < shape_.sequences; first += sentences) {
      for (std::int64_t head = 0; head < shape_.heads; head += heads) {
        library.run(part_of(first, sentences, heads), pass_, memory_of(first, head), args_.scale,
                    exec.cuda_stream);
      }
    }
    return true;
  }

 private:
  AttentionShape part_of(std::int64_t first, std::int64_t sentences, std::int64_t heads) const {
    AttentionShape shape = shape_;
    shape.sequences = shape_.ragged ? sentences : std::min(sentences, shape_.sequences - first);
    shape.heads = heads;
    shape.kv_heads = heads / args_.heads_per_kv;
    return shape;
  }

  std::int64_t tables_bytes(std::int64_t padded) const {
    return shape_.ragged ? 2 * Scratch::size_for<std::int32_t>(padded) +
                               Scratch::size_for<std::int64_t>(Tables::kStrides * (padded + 1))
                         : 0;
  }

  void make_tables(std::int64_t padded, CudaExec& exec) {
    const AttentionShape& s = shape_;
    Tables tables{.q_rows = args_.q_offsets,
                  .k_rows = args_.k_offsets,
                  .sentences = args_.sentences,
                  .padded = padded,
                  .q_lengths = exec.scratch.take<std::int32_t>(padded),
                  .k_lengths = exec.scratch.take<std::int32_t>(padded),
                  .offsets = exec.scratch.take<std::int64_t>(Tables::kStrides * (padded + 1)),
                  .strides = {s.q, s.k, s.v, s.out, s.lse, s.dout, s.dq, s.dk, s.dv},
                  .of_keys = {false, true, true, false, false, false, false, true, true}};
    constexpr int kThreads = 128;
    fill_tables<<<static_cast<unsigned>(padded / kThreads + 1), kThreads, 0, exec.cuda_stream>>>(
        tables);
    check_launch("attention");
    memory_.q_lengths = tables.q_lengths;
    memory_.k_lengths = tables.k_lengths;
    void** offsets[Tables::kStrides] = {
        &memory_.q_offsets,   &memory_.k_offsets,   &memory_.v_offsets,
        &memory_.out_offsets, &memory_.lse_offsets, &memory_.dout_offsets,
        &memory_.dq_offsets,  &memory_.dk_offsets,  &memory_.dv_offsets};
    for (int i = 0; i < Tables::kStrides; ++i) {
      *offsets[i] = tables.offsets + i * (padded + 1);
    }
  }

  // Of the sentences from `first` on and the heads from `head` on.
  AttentionMemory memory_of(std::int64_t first, std::int64_t head) const {
    const AttentionShape& s = shape_;
    AttentionMemory m = memory_;
    if (s.ragged) {
      m.q_lengths = static_cast<std::int32_t*>(m.q_lengths) + first;
      m.k_lengths = static_cast<std::int32_t*>(m.k_lengths) + first;
      for (void** offsets :
           {&m.q_offsets, &m.k_offsets, &m.v_offsets, &m.out_offsets, &m.lse_offsets,
            &m.dout_offsets, &m.dq_offsets, &m.dk_offsets, &m.dv_offsets}) {
        *offsets = static_cast<std::int64_t*>(*offsets) + first;
      }
    }
    const std::int64_t queries = s.ragged ? 0 : first * s.queries;
    const std::int64_t keys = s.ragged ? 0 : first * s.keys;
    const std::int64_t column = head * s.channels;
    const std::int64_t kv_column = head / args_.heads_per_kv * s.channels;
    const auto move = [](void*& data, std::int64_t elements, std::int64_t size) {
      data = data == nullptr ? nullptr : static_cast<char*>(data) + elements * size;
    };
    move(m.q, queries * s.q + column, 2);
    move(m.k, keys * s.k + kv_column, 2);
    move(m.v, keys * s.v + kv_column, 2);
    move(m.out, queries * s.out + column, 2);
    move(m.lse, queries * s.lse + head, 4);
    move(m.dout, queries * s.dout + column, 2);
    move(m.dq, queries * s.dq + column, 2);
    move(m.dk, keys * s.dk + kv_column, 2);
    move(m.dv, keys * s.dv + kv_column, 2);
    return m;
  }

  const AttentionArgs& args_;
  AttentionShape shape_;
  Pass pass_;
  AttentionMemory memory_{};
};

std::unique_ptr<cudnn::Attention> open_library() {
  const char* wanted = std::getenv("YONA_CUDNN");
  if (wanted != nullptr && std::string_view(wanted) == "0") {
    return nullptr;
  }
  void* library = dlopen("libyona_cudnn.so", RTLD_NOW | RTLD_LOCAL);
  void* symbol = library == nullptr ? nullptr : dlsym(library, "yona_make_cudnn_attention");
  if (symbol == nullptr) {
    const char* reason = dlerror();
    log().debug("cuda: attention without cuDNN: {}", reason != nullptr ? reason : "not found");
    return nullptr;
  }
  return std::unique_ptr<cudnn::Attention>(
      reinterpret_cast<decltype(&yona_make_cudnn_attention)>(symbol)());
}

}  // namespace

cudnn::Attention* CudnnLibrary::get() {
  if (!asked_) {
    asked_ = true;
    attention_ = open_library();
  }
  return attention_.get();
}

bool launch_attention_cudnn(const AttentionArgs& args, CudaExec& exec) {
  return fits(args) && exec.cudnn.get() != nullptr &&
         Call(args, shape_of(args), Pass::forward).run(exec);
}

bool launch_attention_backward_cudnn(const AttentionBackwardArgs& args, CudaExec& exec) {
  if (!fits(args) || exec.cudnn.get() == nullptr) {
    return false;
  }
  AttentionShape shape = shape_of(args.forward);
  set_gradients(args, shape);
  Call call(args.forward, shape, Pass::backward);
  call.set(args);
  return call.run(exec);
}

}  // namespace yona::cuda
