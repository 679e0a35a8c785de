// Attention by random features (backend/performer_args.h) on the device: the problem, and one head
// of one sentence, by a block.
//
// A block walks over chunks of 32 tokens; nearly all of it is products of a chunk with the features
// or with the state Σ_j e^(B_j - R) ψ_j [v_j, 1]ᵀ of all earlier keys, as on the CPU
// (cpu/performer_attention.cc has the sums). What a block needs lies in memory of its own, most of
// it in the first two caches. f32 arithmetic on general cores; sums have a fixed order.
#pragma once

#include "yona/backend/cuda/common/block_product.cuh"
#include "yona/backend/kernel_args.h"

namespace yona::cuda {

constexpr int kPerformerChunk = 32;

template <class T>
struct PerformerProblem {
  Rows<T> q, k, v, out;
  Rows<float> lse, features;
  Rows<T> dout, dq, dk, dv;  // backward
  const std::int64_t* q_offsets = nullptr;
  const std::int64_t* k_offsets = nullptr;
  int sentences = 0, heads = 1, heads_per_kv = 1, d_k = 0, d_v = 0, m = 0;
  float scale = 1.0F;
  bool causal = false;
  bool accumulate_dq = false, accumulate_dk = false, accumulate_dv = false;
  int chunks = 0;  // of the longest sentence
  float* memory = nullptr;

  // Of a block, in floats.
  __host__ __device__ std::int64_t memory_of_block() const {
    const std::int64_t n = kPerformerChunk;
    return n * (3 * m + 4 * (d_v + 1) + 2 * d_k + 3 * n + 5) +
           static_cast<std::int64_t>(m) * (2 * (d_v + 1) + d_k) + chunks + 1;
  }
};

// The matrices of a block's memory; tokens are rows.
struct PerformerMemory {
  float* omega;                               // [d_k, m]: ω transposed
  float *phi, *psi, *d_features;              // [chunk, m]
  float *values, *scaled, *sums, *gradients;  // [chunk, d_v + 1]
  float *x, *d_rows;                          // [chunk, d_k]
  float *weights, *pairs, *factors;           // [chunk, chunk]
  float *state, *state_transposed;            // [m, d_v + 1] and the other way round
  float *key_tops, *query_tops, *maxima, *decays, *row_factors;  // [chunk]
  float* ends;  // [chunks + 1]: the largest exponent before each chunk of keys, and after the last

  template <class T>
  __device__ explicit PerformerMemory(const PerformerProblem<T>& p) {
    float* next = p.memory + p.memory_of_block() * blockIdx.x;
    const auto take = [&next](int count) {
      float* taken = next;
      next += count;
      return taken;
    };
    const int n = kPerformerChunk, wide_v = p.d_v + 1;
    omega = take(p.d_k * p.m);
    phi = take(n * p.m), psi = take(n * p.m), d_features = take(n * p.m);
    values = take(n * wide_v), scaled = take(n * wide_v);
    sums = take(n * wide_v), gradients = take(n * wide_v);
    x = take(n * p.d_k), d_rows = take(n * p.d_k);
    weights = take(n * n), pairs = take(n * n), factors = take(n * n);
    state = take(p.m * wide_v), state_transposed = take(p.m * wide_v);
    key_tops = take(n), query_tops = take(n), maxima = take(n);
    decays = take(n), row_factors = take(n);
    ends = take(p.chunks + 1);
  }
};

template <class T, bool kBackward>
class PerformerHead {
 public:
  __device__ PerformerHead(const PerformerProblem<T>& p, const PerformerMemory& memory,
                           int sentence, int head)
      : p_(p),
        b_(memory),
        head_(head),
        kv_head_(head / p.heads_per_kv),
        first_query_(p.q_offsets[sentence]),
        first_key_(p.k_offsets[sentence]),
        queries_(static_cast<int>(p.q_offsets[sentence + 1] - first_query_)),
        keys_(static_cast<int>(p.k_offsets[sentence + 1] - first_key_)),
        shift_(p.causal ? keys_ - queries_ : 0),
        wide_v_(p.d_v + 1) {}

  __device__ void forward() { walk(); }

  __device__ void backward(bool adds_dk, bool adds_dv) {
    walk();
    clear_state();
    if (p_.causal) {
      for (int n = chunks(keys_) - 1; n >= 0; --n) {
        write_key_gradients(n, adds_dk, adds_dv);
        add_queries(n, b_.ends[n]);
      }
      return;
    }
    for (int n = 0; n < chunks(queries_); ++n) {
      add_queries(n, largest_);
    }
    for (int n = 0; n < chunks(keys_); ++n) {
      write_key_gradients(n, adds_dk, adds_dv);
    }
  }

 private:
  __device__ static int chunks(int tokens) {
    return (tokens + kPerformerChunk - 1) / kPerformerChunk;
  }
  __device__ static int count_of(int n, int tokens) {
    return min(kPerformerChunk, tokens - n * kPerformerChunk);
  }
  // How many of the chunk's tokens have no query: those that a cache has from before.
  __device__ int without_query(int n, int count) const {
    return min(max(shift_ - n * kPerformerChunk, 0), count);
  }
  __device__ T* query(const Rows<T>& rows, int n, int i, int columns) const {
    return rows.row(first_query_ + n * kPerformerChunk + i - shift_) + head_ * columns;
  }
  __device__ T* key(const Rows<T>& rows, int n, int j, int columns) const {
    return rows.row(first_key_ + n * kPerformerChunk + j) + kv_head_ * columns;
  }
  __device__ float* log_sum(int n, int i) const {
    return p_.lse.row(first_query_ + n * kPerformerChunk + i - shift_) + head_;
  }

  __device__ void clear_state() {
    for_each_element(p_.m * wide_v_, [&](int i) {
      b_.state[i] = 0.0F;
      b_.state_transposed[i] = 0.0F;
    });
  }

  __device__ void walk() {
    clear_state();
    largest_ = -INFINITY;
    for_each_element(1, [&](int) { b_.ends[0] = -INFINITY; });
    for (int n = 0; n < chunks(keys_); ++n) {
      if (p_.causal) {
        visit_queries(n);
      }
      add_keys(n);
    }
    for (int n = 0; n < chunks(queries_) && !p_.causal; ++n) {
      visit_queries(n);
    }
  }
  __device__ void visit_queries(int n) {
    if constexpr (kBackward) {
      write_query_gradients(n);
    } else {
      write_outputs(n);
    }
  }

  // to ← exp(ω·x' - its largest), tops ← these, of the rows of b_.x.
  __device__ void find_features(int count, float* to, float* tops) {
    BlockProduct{b_.x, p_.d_k, 1, b_.omega, p_.m, 1, to, p_.m, false}(count, p_.d_k, p_.m);
    for_each_warp_row(count, [&](int i, int lane) {
      float* row = to + i * p_.m;
      float largest = -INFINITY;
      for (int r = lane; r < p_.m; r += kLanes) {
        largest = fmaxf(largest, row[r]);
      }
      largest = warp_max(largest);
      for (int r = lane; r < p_.m; r += kLanes) {
        row[r] = expf(row[r] - largest);
      }
      if (lane == 0) {
        tops[i] = largest;
      }
    });
  }

  // ψ, B and [v, 1]
  __device__ void load_keys(int n, int count) {
    const float root = sqrtf(p_.scale);
    for_each_element(count * p_.d_k, [&](int i) {
      b_.x[i] = root * to_float(key(p_.k, n, i / p_.d_k, p_.d_k)[i % p_.d_k]);
    });
    find_features(count, b_.psi, b_.key_tops);
    for_each_warp_row(count, [&](int j, int lane) {
      float square = 0.0F;
      for (int c = lane; c < p_.d_k; c += kLanes) {
        square += b_.x[j * p_.d_k + c] * b_.x[j * p_.d_k + c];
      }
      square = warp_sum(square);
      if (lane == 0) {
        b_.key_tops[j] -= square / 2.0F;
      }
    });
    for_each_element(count * wide_v_, [&](int i) {
      const int c = i % wide_v_;
      b_.values[i] = c < p_.d_v ? to_float(key(p_.v, n, i / wide_v_, p_.d_v)[c]) : 1.0F;
    });
  }

  // φ and A; tokens without a query have a φ of zero.
  __device__ void load_queries(int n, int count) {
    const float root = sqrtf(p_.scale);
    const int skipped = without_query(n, count);
    for_each_element(count * p_.d_k, [&](int i) {
      const int row = i / p_.d_k;
      b_.x[i] = row < skipped ? 0.0F : root * to_float(query(p_.q, n, row, p_.d_k)[i % p_.d_k]);
    });
    find_features(count, b_.phi, b_.query_tops);
    for_each_element(skipped * p_.m, [&](int i) { b_.phi[i] = 0.0F; });
  }

  // All that is known of a chunk's queries before the keys of the chunk are added. False: none.
  __device__ bool load_chunk(int n, int count, float before) {
    if (without_query(n, count) == count) {
      return false;
    }
    load_queries(n, count);
    if (p_.causal) {
      load_keys(n, count);
    }
    for_each_element(count, [&](int i) {
      float largest = before;
      for (int j = 0; p_.causal && j <= i; ++j) {
        largest = fmaxf(largest, b_.key_tops[j]);
      }
      b_.maxima[i] = largest;
      b_.decays[i] = before == -INFINITY ? 0.0F : expf(before - largest);
    });
    if (p_.causal) {
      for_each_element(count * kPerformerChunk, [&](int at) {
        const int i = at / kPerformerChunk;
        const int j = at % kPerformerChunk;
        b_.factors[at] = j <= i ? expf(b_.key_tops[j] - b_.maxima[i]) : 0.0F;
      });
    }
    return true;
  }

  __device__ void add_keys(int n) {
    const int count = count_of(n, keys_);
    if (!p_.causal || without_query(n, count) == count) {
      load_keys(n, count);  // else the queries of the chunk have
    }
    const float before = largest_;
    for (int j = 0; j < count; ++j) {
      largest_ = fmaxf(largest_, b_.key_tops[j]);
    }
    for_each_element(count * wide_v_, [&](int i) {
      b_.scaled[i] = expf(b_.key_tops[i / wide_v_] - largest_) * b_.values[i];
      if (i == 0) {
        b_.ends[n + 1] = largest_;
      }
    });
    add_to_state(before == -INFINITY ? 0.0F : expf(before - largest_), b_.psi, b_.scaled, count);
  }

  // state ← decay · state + featuresᵀ values, and its transpose
  __device__ void add_to_state(float decay, const float* features, const float* values, int count) {
    for_each_element(p_.m * wide_v_, [&](int i) {
      b_.state[i] *= decay;
      b_.state_transposed[i] *= decay;
    });
    BlockProduct{features, 1, p_.m, values, wide_v_, 1, b_.state, wide_v_, true}(p_.m, count,
                                                                                 wide_v_);
    if constexpr (kBackward) {
      BlockProduct{values, 1, wide_v_, features, p_.m, 1, b_.state_transposed, p_.m, true}(
          wide_v_, count, p_.m);
    }
  }

  __device__ void find_weights(int count) {
    BlockProduct{b_.phi, p_.m, 1, b_.psi, 1, p_.m, b_.weights, kPerformerChunk, false}(count, p_.m,
                                                                                       count);
    multiply_by_factors(b_.weights, count);
  }
  __device__ void find_pair_gradients(int count) {
    BlockProduct{b_.gradients, wide_v_, 1, b_.values, 1, wide_v_, b_.pairs, kPerformerChunk, false}(
        count, wide_v_, count);
    multiply_by_factors(b_.pairs, count);
  }
  __device__ void multiply_by_factors(float* pairs, int count) {
    for_each_element(count * kPerformerChunk, [&](int i) {
      pairs[i] = i % kPerformerChunk < count ? pairs[i] * b_.factors[i] : 0.0F;
    });
  }
  __device__ void scale_rows(float* rows, const float* factors, int count, int width) {
    for_each_element(count * width, [&](int i) { rows[i] *= factors[i / width]; });
  }

  __device__ void write_outputs(int n) {
    constexpr float kSmallestSum = 1e-30F;
    const int count = count_of(n, p_.causal ? keys_ : queries_);
    if (!load_chunk(n, count, largest_)) {
      return;
    }
    BlockProduct{b_.phi, p_.m, 1, b_.state, wide_v_, 1, b_.sums, wide_v_, false}(count, p_.m,
                                                                                 wide_v_);
    scale_rows(b_.sums, b_.decays, count, wide_v_);
    if (p_.causal) {
      find_weights(count);
      BlockProduct{b_.weights, kPerformerChunk, 1, b_.values, wide_v_, 1, b_.sums, wide_v_, true}(
          count, count, wide_v_);
    }
    const int skipped = without_query(n, count);
    for_each_element(count * wide_v_, [&](int at) {
      const int i = at / wide_v_;
      const int c = at % wide_v_;
      if (i < skipped) {
        return;
      }
      const float total = b_.sums[i * wide_v_ + p_.d_v];
      const bool is_there = !(total < kSmallestSum);
      if (c < p_.d_v) {
        query(p_.out, n, i, p_.d_v)[c] = from_float<T>(is_there ? b_.sums[at] / total : 0.0F);
      } else {
        *log_sum(n, i) = is_there ? logf(total) + b_.query_tops[i] + b_.maxima[i] : -INFINITY;
      }
    });
  }

  // [g_i, -g_i·out_i]; zero for tokens without a query
  __device__ void load_gradients(int n, int count) {
    const int skipped = without_query(n, count);
    for_each_warp_row(count, [&](int i, int lane) {
      float* to = b_.gradients + i * wide_v_;
      if (i < skipped) {
        for (int c = lane; c < wide_v_; c += kLanes) {
          to[c] = 0.0F;
        }
        return;
      }
      const float sum = *log_sum(n, i);
      const float inverse = sum == -INFINITY ? 0.0F : expf(b_.query_tops[i] + b_.maxima[i] - sum);
      const T* out = query(p_.out, n, i, p_.d_v);
      const T* dout = query(p_.dout, n, i, p_.d_v);
      float dot = 0.0F;
      for (int c = lane; c < p_.d_v; c += kLanes) {
        to[c] = inverse * to_float(dout[c]);
        dot += to[c] * to_float(out[c]);
      }
      dot = warp_sum(dot);
      if (lane == 0) {
        to[p_.d_v] = -dot;
      }
    });
  }

  // d_rows ← √scale · (features ∘ d_features) Ω
  __device__ void find_row_gradients(const float* features, int count) {
    for_each_element(count * p_.m, [&](int i) { b_.d_features[i] *= features[i]; });
    BlockProduct{b_.d_features, p_.m, 1, b_.omega, 1, p_.m, b_.d_rows, p_.d_k, false}(count, p_.m,
                                                                                      p_.d_k);
    const float root = sqrtf(p_.scale);
    for_each_element(count * p_.d_k, [&](int i) { b_.d_rows[i] *= root; });
  }
  __device__ static void put(T* to, float value, bool adds) {
    *to = from_float<T>(adds ? to_float(*to) + value : value);
  }

  __device__ void write_query_gradients(int n) {
    const int count = count_of(n, p_.causal ? keys_ : queries_);
    if (!load_chunk(n, count, largest_)) {
      return;
    }
    load_gradients(n, count);
    BlockProduct{b_.gradients,  wide_v_, 1,    b_.state_transposed, p_.m, 1,
                 b_.d_features, p_.m,    false}(count, wide_v_, p_.m);
    scale_rows(b_.d_features, b_.decays, count, p_.m);
    if (p_.causal) {
      find_pair_gradients(count);
      BlockProduct{b_.pairs, kPerformerChunk, 1, b_.psi, p_.m, 1, b_.d_features, p_.m, true}(
          count, count, p_.m);
    }
    find_row_gradients(b_.phi, count);
    const int skipped = without_query(n, count);
    for_each_element(count * p_.d_k, [&](int i) {
      if (i / p_.d_k >= skipped) {
        put(query(p_.dq, n, i / p_.d_k, p_.d_k) + i % p_.d_k, b_.d_rows[i], p_.accumulate_dq);
      }
    });
  }

  // With the state of the queries after the chunk.
  __device__ void write_key_gradients(int n, bool adds_dk, bool adds_dv) {
    const int count = count_of(n, keys_);
    const bool has_pairs = p_.causal && load_chunk(n, count, b_.ends[n]);
    if (!has_pairs) {
      load_keys(n, count);
    }
    const float after = p_.causal ? b_.ends[n + 1] : largest_;
    for_each_element(count, [&](int j) { b_.row_factors[j] = expf(b_.key_tops[j] - after); });
    BlockProduct{b_.values, wide_v_, 1, b_.state_transposed, p_.m, 1, b_.d_features, p_.m, false}(
        count, wide_v_, p_.m);
    scale_rows(b_.d_features, b_.row_factors, count, p_.m);
    BlockProduct{b_.psi, p_.m, 1, b_.state, wide_v_, 1, b_.sums, wide_v_, false}(count, p_.m,
                                                                                 wide_v_);
    scale_rows(b_.sums, b_.row_factors, count, wide_v_);
    if (has_pairs) {
      load_gradients(n, count);
      find_pair_gradients(count);
      BlockProduct{b_.pairs, 1, kPerformerChunk, b_.phi, p_.m, 1, b_.d_features, p_.m, true}(
          count, count, p_.m);
      find_weights(count);
      BlockProduct{b_.weights, 1,       kPerformerChunk, b_.gradients, wide_v_,
                   1,          b_.sums, wide_v_,         true}(count, count, wide_v_);
    }
    find_row_gradients(b_.psi, count);
    subtract_keys(n, count);
    for_each_element(count * p_.d_k, [&](int i) {
      put(key(p_.dk, n, i / p_.d_k, p_.d_k) + i % p_.d_k, b_.d_rows[i], adds_dk);
    });
    for_each_element(count * p_.d_v, [&](int i) {
      const int j = i / p_.d_v;
      put(key(p_.dv, n, j, p_.d_v) + i % p_.d_v, b_.sums[j * wide_v_ + i % p_.d_v], adds_dv);
    });
  }

  // Of -|k'|²/2 in every exponent: d_rows -= scale · k Σ_r d_features
  __device__ void subtract_keys(int n, int count) {
    for_each_warp_row(count, [&](int j, int lane) {
      float total = 0.0F;
      for (int r = lane; r < p_.m; r += kLanes) {
        total += b_.d_features[j * p_.m + r];
      }
      total = warp_sum(total);
      for (int c = lane; c < p_.d_k; c += kLanes) {
        b_.d_rows[j * p_.d_k + c] -= p_.scale * total * to_float(key(p_.k, n, j, p_.d_k)[c]);
      }
    });
  }

  // The state gets the queries of the chunk, by the largest exponent before it.
  __device__ void add_queries(int n, float before) {
    if (before == -INFINITY) {  // no key comes before
      return;
    }
    const int count = count_of(n, p_.causal ? keys_ : queries_);
    if (!p_.causal) {
      load_chunk(n, count, before);
      load_gradients(n, count);
      add_to_state(1.0F, b_.phi, b_.gradients, count);
      return;
    }
    const bool has_queries = without_query(n, count) < count;
    if (has_queries) {  // which write_key_gradients() has loaded
      scale_rows(b_.gradients, b_.decays, count, wide_v_);
    }
    add_to_state(expf(before - b_.ends[n + 1]), b_.phi, b_.gradients, has_queries ? count : 0);
  }

  const PerformerProblem<T>& p_;
  const PerformerMemory& b_;
  int head_, kv_head_;
  std::int64_t first_query_, first_key_;
  int queries_, keys_, shift_, wide_v_;
  float largest_ = 0.0F;
};

}  // namespace yona::cuda
