// What the attention kernels share: the problem on the device, who sees whom, tiles of rows in
// shared memory, and scores.
//
// These are the general kernels: every mask, head size, bias and the additive scores, f32
// arithmetic. A block takes one head of a tile of queries (or keys) of one sentence; a warp takes a
// few of them, and its lanes are the keys (or queries) of a tile on the other side while scores are
// formed, and channels while rows are added up.
#pragma once

#include "yona/backend/cuda/common/dropout.cuh"
#include "yona/backend/cuda/runtime/capability.h"
#include "yona/backend/kernel_args.h"

namespace yona::cuda {

// Sizes of one compiled version.
template <int kGroup_, int kWide_, int kTile_, int kWarps_, bool kAdditive_>
struct AttentionSize {
  static constexpr int kGroup = kGroup_;  // rows of a warp
  static constexpr int kWide = kWide_;    // heads have at most 32 · kWide channels
  static constexpr int kTile = kTile_;    // rows of the other side in shared memory
  static constexpr int kWarpCount = kWarps_;
  static constexpr int kBlockThreads = kWarps_ * kLanes;
  static constexpr int kBlockRows = kGroup_ * kWarps_;
  static constexpr bool kAdditive = kAdditive_;
};

using SmallHeads = AttentionSize<4, 2, 32, 8, false>;
using MediumHeads = AttentionSize<2, 4, 32, 8, false>;
using LargeHeads = AttentionSize<1, 16, 16, 4, false>;
using AdditiveHeads = AttentionSize<1, 16, 16, 4, true>;

template <class T>
struct AttentionProblem {
  Rows<T> q, k, v, out;
  Rows<float> lse, bias, vector;
  const std::int64_t* q_offsets = nullptr;
  const std::int64_t* k_offsets = nullptr;
  const std::int64_t* prefix = nullptr;
  const std::uint64_t* q_keys = nullptr;
  std::int64_t sentences = 0;
  int tiles = 0;  // of kBlockRows rows, in the longest sentence
  int heads = 1, d_k = 0, d_v = 0;
  float scale = 1.0F;
  Mask mask = Mask::none;
  Dropout dropout{};
  int heads_per_kv = 1;
  AttentionPattern pattern{};
  int dilation = 1;  // of the pattern: tokens at equal places modulo it are a sentence of their own

  // Sentences, each as often as the dilation.
  std::int64_t parts() const { return sentences * dilation; }
  __device__ int kv_head(int head) const { return head / heads_per_kv; }
};

template <class T>
AttentionProblem<T> problem_of(const AttentionArgs& args, const View& vector = {}) {
  const auto optional = [](const View& view) {
    return view ? rows_of<float>(view) : Rows<float>{};
  };
  return {rows_of<T>(args.q),
          rows_of<T>(args.k),
          rows_of<T>(args.v),
          rows_of<T>(args.out),
          rows_of<float>(args.lse),
          vector ? Rows<float>{} : optional(args.bias),
          optional(vector),
          args.q_offsets,
          args.k_offsets,
          args.prefix,
          args.q_keys,
          args.sentences,
          0,
          static_cast<int>(args.heads),
          static_cast<int>(args.d_k),
          static_cast<int>(args.d_v),
          vector ? 1.0F : args.scale,
          args.mask,
          args.dropout,
          static_cast<int>(args.heads_per_kv),
          args.pattern,
          static_cast<int>(args.pattern.dilation)};
}

// What all kernels of the backward pass in bf16 are given: fields of the same names.
template <class Gradients>
void set_gradients(const AttentionBackwardArgs& args, Gradients& gradients) {
  gradients.in = problem_of<bf16>(args.forward);
  gradients.dout = rows_of<bf16>(args.dout);
  gradients.dq = rows_of<bf16>(args.dq);
  gradients.dk = rows_of<bf16>(args.dk);
  gradients.dv = rows_of<bf16>(args.dv);
  gradients.accumulate_dq = args.accumulate_dq;
  gradients.accumulate_dk = args.accumulate_dk;
  gradients.accumulate_dv = args.accumulate_dv;
}

// The device's AttentionSentence (backend/attention_sentence.h has the meaning).
// With dilation, one phase of it: tokens phase, phase + step, …
struct Sentence {
  std::int64_t first_query, first_key;  // rows
  int queries, keys, prefix;
  bool masked;
  int step = 1, phase = 0;
  const AttentionPattern* pattern = nullptr;  // or none

  template <class T>
  __device__ Sentence(const AttentionProblem<T>& p, std::int64_t part)
      : Sentence(p, p.dilation > 1 ? part / p.dilation : part,
                 p.dilation > 1 ? static_cast<int>(part % p.dilation) : 0) {}

  template <class T>
  __device__ Sentence(const AttentionProblem<T>& p, std::int64_t s, int of_dilation)
      : first_query(p.q_offsets[s]),
        first_key(p.k_offsets[s]),
        queries(static_cast<int>(p.q_offsets[s + 1] - first_query)),
        keys(static_cast<int>(p.k_offsets[s + 1] - first_key)),
        prefix(0),
        masked(p.mask != Mask::none) {
    if (p.mask == Mask::prefix) {
      prefix = static_cast<int>(min(max(p.prefix[s], std::int64_t{0}), std::int64_t{keys}));
    }
    if (p.pattern) {
      pattern = &p.pattern;
    }
    if (p.dilation > 1) {
      take_phase(p.dilation, of_dilation);
    }
  }
  __device__ void take_phase(int dilation, int of_dilation) {
    const int shift = (keys - queries) % dilation;
    const int offset = (of_dilation + dilation - shift) % dilation;  // of the first query
    step = dilation;
    phase = of_dilation;
    first_query += offset;
    first_key += phase;
    queries = queries > offset ? (queries - offset - 1) / dilation + 1 : 0;
    keys = keys > phase ? (keys - phase - 1) / dilation + 1 : 0;
  }
  __device__ std::int64_t query_row(int query) const { return first_query + query * step; }
  // The rows of its queries, or of its keys.
  template <class T>
  __device__ Rows<T> query_rows(const Rows<T>& all) const {
    return {all.data + first_query * all.stride, all.stride * step, all.cols, all.vector};
  }
  template <class T>
  __device__ Rows<T> key_rows(const Rows<T>& all) const {
    return {all.data + first_key * all.stride, all.stride * step, all.cols, all.vector};
  }
  // The place of a key in the whole sentence.
  __device__ int token(int key) const { return phase + key * step; }
  __device__ int position(int query) const { return query + keys - queries; }
  __device__ int visible(int query) const {
    return masked ? max(prefix, min(max(position(query) + 1, 0), keys)) : keys;
  }
  __device__ int first_seeing(int key) const {
    return masked && key >= prefix ? max(key - (keys - queries), 0) : 0;
  }
  __device__ bool sees(int query, int key) const {
    return key < visible(query) && (pattern == nullptr || pattern_sees(query, key));
  }
  // May one of queries [first, last] see one of keys [begin, end]? The same for a whole block.
  __device__ bool some_see(int first, int last, int begin, int end) const {
    if (pattern == nullptr) {
      return true;
    }
    if (pattern->has_window()) {
      return end >= position(first) - pattern->before && begin <= position(last) + pattern->after;
    }
    const std::int64_t block = pattern->block;
    for (std::int64_t a = position(first) / block; a <= position(last) / block; ++a) {
      for (std::int64_t b = begin / block; b <= end / block; ++b) {
        if (pattern->lists(a, b, (keys + block - 1) / block)) {
          return true;
        }
      }
    }
    return false;
  }
  __device__ bool pattern_sees(int query, int key) const {
    const int i = position(query);
    return pattern->has_window() ? key >= i - pattern->before && key <= i + pattern->after
                                 : pattern->sees(i, key, keys);
  }
};

// Copies `count` rows from `first` on, the d channels of one head, into shared memory as f32; rows
// lie `stride` apart, and those up to `rows` that are not there become zero.
template <class T>
__device__ void load_tile(const Rows<T>& from, std::int64_t first, int count, int rows, int head,
                          int d, float* to, int stride) {
  const int packs = (d + kPack - 1) / kPack;
  const bool whole = from.vector && d % kPack == 0;
  for (int item = static_cast<int>(threadIdx.x); item < rows * packs;
       item += static_cast<int>(blockDim.x)) {
    const int row = item / packs;
    const int c = item % packs * kPack;
    float v[kPack] = {};
    if (row < count) {
      const T* source = from.row(first + row) + head * d + c;
      if (whole) {
        load8(source, v);
      } else {
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
          v[i] = c + i < d ? to_float(source[i]) : 0.0F;
        }
      }
    }
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      if (c + i < d) {
        to[row * stride + c + i] = v[i];
      }
    }
  }
}

// The same for the rows of this warp, with the rows of a group side by side: to[c · kGroup + g].
template <int kGroup, class T>
__device__ void load_group(const Rows<T>& from, std::int64_t first, int count, int head, int d,
                           float* to) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
#pragma unroll
  for (int g = 0; g < kGroup; ++g) {
    for (int c = lane; c < d; c += kLanes) {
      to[c * kGroup + g] = g < count ? to_float(from.row(first + g)[head * d + c]) : 0.0F;
    }
  }
  __syncwarp();
}

// sums[g] = Σ_c group[c][g] · row[c], or Σ_c u[c] · tanh(group[c][g] + row[c]).
template <class Size>
__device__ void score(const float* group, const float* row, const float* vector, int d,
                      float (&sums)[Size::kGroup]) {
#pragma unroll
  for (int g = 0; g < Size::kGroup; ++g) {
    sums[g] = 0.0F;
  }
#pragma unroll 4
  for (int c = 0; c < d; ++c) {
    const float x = row[c];
#pragma unroll
    for (int g = 0; g < Size::kGroup; ++g) {
      const float y = group[c * Size::kGroup + g];
      if constexpr (Size::kAdditive) {
        sums[g] += vector[c] * tanhf(x + y);
      } else {
        sums[g] += x * y;
      }
    }
  }
}

// The column of the bias for the distance from query to key, clipped to its reach.
__device__ inline int bias_column(const Rows<float>& bias, int distance) {
  const int reach = static_cast<int>(bias.cols) / 2;
  return min(max(distance, -reach), reach) + reach;
}

template <class Function>
void with_heads(const AttentionArgs& args, const char* kernel, const Function& function) {
  const std::int64_t d = args.d_k > args.d_v ? args.d_k : args.d_v;
  check<NotImplemented>(
      d <= 512, "{}: heads of {} channels are wider than the 512 of the cuda backend", kernel, d);
  if (d <= 64) {
    function(SmallHeads{});
  } else if (d <= 128) {
    function(MediumHeads{});
  } else {
    function(LargeHeads{});
  }
}

// Two gradients may be neighbours in a row, but not share elements where blocks write them in any
// order.
inline bool are_apart(const View& a, const View& b) {
  const std::int64_t distance =
      (static_cast<const char*>(a.data) - static_cast<const char*>(b.data)) /
      static_cast<std::int64_t>(size_of(a.dtype));
  return distance >= b.cols || -distance >= a.cols;
}

// Any head size up to 512, f32 arithmetic on CUDA cores (attention/general.cu).
void launch_attention_general(const AttentionArgs& args, Exec& exec);

}  // namespace yona::cuda
