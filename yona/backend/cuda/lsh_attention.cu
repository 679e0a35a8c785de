// Attention by locality-sensitive hashing (Kitaev et al. 2020). A warp has a row of a head: a query
// with the keys that it sees, or, for gradients of keys and values, a key with the queries that see
// it, 32 at a time. A lane computes the score of one of them, and then has every 32nd channel of
// the sums. So nothing is added to by two warps, and the order of sums is fixed.

#include "yona/backend/cuda/common/rows.cuh"
#include "yona/backend/cuda/runtime/registration.h"
#include "yona/backend/kernel_args.h"
#include "yona/backend/lsh_sight.h"

namespace yona::cuda {

namespace {

constexpr int kLaneChannels = 8;  // of a lane: heads have up to 256 channels
constexpr unsigned kAllLanes = 0xFFFFFFFFU;
constexpr float kNothing = -INFINITY;

__device__ inline int lane_of_thread() { return static_cast<int>(threadIdx.x) % kLanes; }

__device__ inline std::int64_t row_of_warp() {
  return static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
}

template <class T, class U>
__device__ float row_product(const T* a, const U* b, std::int64_t count) {
  float sum = 0.0F;
  for (std::int64_t c = 0; c < count; ++c) {
    sum += to_float(a[c]) * to_float(b[c]);
  }
  return sum;
}

// The channels of a row that a lane adds up.
struct LaneSum {
  float values[kLaneChannels] = {};

  template <class T>
  __device__ void add(float factor, const T* row, std::int64_t cols) {
#pragma unroll
    for (int i = 0; i < kLaneChannels; ++i) {
      if (const std::int64_t c = i * kLanes + lane_of_thread(); c < cols) {
        values[i] += factor * to_float(row[c]);
      }
    }
  }
  __device__ void scale(float factor) {
#pragma unroll
    for (float& value : values) {
      value *= factor;
    }
  }
  template <class T>
  __device__ void put(T* row, std::int64_t cols, bool accumulate) const {
#pragma unroll
    for (int i = 0; i < kLaneChannels; ++i) {
      if (const std::int64_t c = i * kLanes + lane_of_thread(); c < cols) {
        row[c] = from_float<T>(values[i] + (accumulate ? to_float(row[c]) : 0.0F));
      }
    }
  }
};

// The bucket of each round: a lane has every 32nd axis; of equal sides the first.
template <class T>
__global__ void __launch_bounds__(kThreads)
    lsh_buckets_kernel(Rows<T> x, Rows<float> rotations, Rows<T> buckets, std::int64_t rows,
                       std::int64_t half) {
  const std::int64_t row = row_of_warp();
  if (row >= rows) {
    return;
  }
  for (std::int64_t round = 0; round < buckets.cols; ++round) {
    float most = -1.0F;
    int bucket = 0;
    for (std::int64_t axis = lane_of_thread(); axis < half; axis += kLanes) {
      const float turned = row_product(x.row(row), rotations.row(round * half + axis), x.cols);
      const auto side = static_cast<int>(turned < 0.0F ? axis + half : axis);
      const float size = fabsf(turned);
      if (size > most || (size == most && side < bucket)) {
        most = size;
        bucket = side;
      }
    }
#pragma unroll
    for (int distance = kLanes / 2; distance > 0; distance /= 2) {
      const float other = __shfl_xor_sync(kAllLanes, most, distance);
      const int side = __shfl_xor_sync(kAllLanes, bucket, distance);
      if (other > most || (other == most && side < bucket)) {
        most = other;
        bucket = side;
      }
    }
    if (lane_of_thread() == 0) {
      buckets.row(row)[round] = from_float<T>(static_cast<float>(bucket));
    }
  }
}

// A block sorts the tokens of a sentence for one round and head: a thread has a bucket, counts its
// tokens, and puts them where they belong.
template <class T>
__global__ void __launch_bounds__(kThreads)
    lsh_order_kernel(Rows<T> buckets, const std::int64_t* offsets, LshOrder to, std::int64_t heads,
                     int count) {
  __shared__ int first[kThreads + 1];
  const std::int64_t begin = offsets[blockIdx.x];
  const std::int64_t end = offsets[blockIdx.x + 1];
  const std::int64_t round = blockIdx.y / heads;
  const std::int64_t head = blockIdx.y % heads;
  const auto mine = static_cast<int>(threadIdx.x);
  const auto bucket = [&](std::int64_t t) {
    return static_cast<int>(to_float(buckets.row(t * heads + head)[round]));
  };
  int tokens = 0;
  for (std::int64_t t = begin; mine < count && t < end; ++t) {
    tokens += bucket(t) == mine ? 1 : 0;
  }
  first[mine + 1] = tokens;
  __syncthreads();
  if (mine == 0) {
    first[0] = static_cast<int>(begin);
    for (int b = 0; b < count; ++b) {
      first[b + 1] += first[b];
    }
  }
  __syncthreads();
  const std::int64_t at = blockIdx.y * to.tokens;
  int place = first[mine];
  for (std::int64_t t = begin; mine < count && t < end; ++t) {
    if (bucket(t) == mine) {
      to.order[at + place] = static_cast<std::int32_t>(t);
      to.place[at + t] = place++;
      to.begin[at + t] = first[mine];
      to.end[at + t] = first[mine + 1];
    }
  }
}

template <class T>
struct LshRows {
  Rows<T> q, k, v, out, dout, dq, dk, dv;
  Rows<float> lse, products;
};

// Calls function(key, in) with 32 candidates at a time; `in` says which lanes have one that counts.
template <class Places, class Takes, class Function>
__device__ void for_each_tile(const LshSight& sight, const Places& places, const Takes& takes,
                              const Function& function) {
  for (std::int64_t round = 0; round < sight.rounds(); ++round) {
    const LshPlaces all = places(round);
    for (std::int64_t base = all.begin; base < all.end; base += kLanes) {
      const std::int64_t place = base + lane_of_thread();
      const int token = place < all.end ? static_cast<int>(sight.token(round, place)) : -1;
      const bool in = token >= 0 && takes(round, token);
      if (__ballot_sync(kAllLanes, in) != 0) {
        function(token, in);
      }
    }
  }
}

// Calls function(token, a, b) for each lane that has one, in their order.
template <class Function>
__device__ void for_each_lane(bool in, int token, float a, float b, const Function& function) {
  for (unsigned left = __ballot_sync(kAllLanes, in); left != 0; left &= left - 1) {
    const int lane = __ffs(static_cast<int>(left)) - 1;
    function(static_cast<std::int64_t>(__shfl_sync(kAllLanes, token, lane)),
             __shfl_sync(kAllLanes, a, lane), __shfl_sync(kAllLanes, b, lane));
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    lsh_attention_kernel(LshAttentionArgs args, LshRows<T> m, std::int64_t rows) {
  const std::int64_t row = row_of_warp();
  if (row >= rows) {
    return;
  }
  const std::int64_t head = row % args.heads;
  const std::int64_t query = args.first + row / args.heads;
  const LshSight sight(args, head);
  float largest = kNothing;
  float total = 0.0F;
  LaneSum sum;
  for_each_tile(
      sight, [&](std::int64_t round) { return sight.keys(round, query); },
      [&](std::int64_t round, std::int64_t key) { return sight.takes(round, query, key); },
      [&](int key, bool in) {
        const float score =
            in ? args.scale * row_product(m.q.row(row),
                                          m.k.row(std::int64_t{key} * args.heads + head), m.q.cols)
               : kNothing;
        const float before = largest;
        largest = fmaxf(largest, warp_max(score));
        const float kept = __expf(before - largest);
        const float p = in ? __expf(score - largest) : 0.0F;
        total = total * kept + warp_sum(p);
        sum.scale(kept);
        for_each_lane(in, key, p, 0.0F, [&](std::int64_t token, float weight, float) {
          sum.add(weight, m.v.row(token * args.heads + head), m.v.cols);
        });
      });
  if (total == 0.0F) {  // it sees itself alone
    const std::int64_t own = query * args.heads + head;
    largest = args.scale * row_product(m.q.row(row), m.k.row(own), m.q.cols);
    total = 1.0F;
    sum.add(1.0F, m.v.row(own), m.v.cols);
  }
  sum.scale(1.0F / total);
  sum.put(m.out.row(row), m.v.cols, false);
  if (lane_of_thread() == 0) {
    m.lse.row(row)[0] = largest + logf(total);
  }
}

// p of a query and a key, and the gradient of their score.
template <class T>
__device__ void lsh_pair(const LshAttentionArgs& args, const LshRows<T>& m, std::int64_t query,
                         std::int64_t key, float product, float& p, float& ds) {
  const float score = args.scale * row_product(m.q.row(query), m.k.row(key), m.q.cols);
  p = __expf(score - m.lse.row(query)[0]);
  const float dp = row_product(m.dout.row(query), m.v.row(key), m.v.cols);
  ds = args.scale * p * (dp - product);
}

// D and dq of a query. Where it sees itself alone, its weight is one whatever the score.
template <class T>
__global__ void __launch_bounds__(kThreads)
    lsh_query_gradient_kernel(LshAttentionArgs args, LshRows<T> m, std::int64_t rows,
                              bool accumulate) {
  const std::int64_t row = row_of_warp();
  if (row >= rows) {
    return;
  }
  const std::int64_t head = row % args.heads;
  const std::int64_t query = row / args.heads;
  const LshSight sight(args, head);
  const float product = row_product(m.dout.row(row), m.out.row(row), m.v.cols);
  LaneSum dq;
  for_each_tile(
      sight, [&](std::int64_t round) { return sight.keys(round, query); },
      [&](std::int64_t round, std::int64_t key) { return sight.takes(round, query, key); },
      [&](int key, bool in) {
        float p = 0.0F;
        float ds = 0.0F;
        if (in) {
          lsh_pair(args, m, row, std::int64_t{key} * args.heads + head, product, p, ds);
        }
        for_each_lane(in, key, ds, 0.0F, [&](std::int64_t token, float slope, float) {
          dq.add(slope, m.k.row(token * args.heads + head), m.k.cols);
        });
      });
  dq.put(m.dq.row(row), m.q.cols, accumulate);
  if (lane_of_thread() == 0) {
    m.products.row(row)[0] = product;
  }
}

// dk and dv of a key.
template <class T>
__global__ void __launch_bounds__(kThreads)
    lsh_key_gradient_kernel(LshAttentionArgs args, LshRows<T> m, std::int64_t rows,
                            bool accumulate_dk, bool accumulate_dv) {
  const std::int64_t row = row_of_warp();
  if (row >= rows) {
    return;
  }
  const std::int64_t head = row % args.heads;
  const std::int64_t key = row / args.heads;
  const LshSight sight(args, head);
  LaneSum dk;
  LaneSum dv;
  for_each_tile(
      sight, [&](std::int64_t round) { return sight.queries(round, key); },
      [&](std::int64_t round, std::int64_t query) { return sight.takes(round, query, key); },
      [&](int query, bool in) {
        const std::int64_t other = std::int64_t{query} * args.heads + head;
        float p = 0.0F;
        float ds = 0.0F;
        if (in) {
          lsh_pair(args, m, other, row, m.products.row(other)[0], p, ds);
        }
        for_each_lane(in, query, p, ds, [&](std::int64_t token, float weight, float slope) {
          dk.add(slope, m.q.row(token * args.heads + head), m.q.cols);
          dv.add(weight, m.dout.row(token * args.heads + head), m.v.cols);
        });
      });
  if (sight.is_alone(key)) {
    dv.add(1.0F, m.dout.row(row), m.v.cols);
  }
  dk.put(m.dk.row(row), m.k.cols, accumulate_dk);
  dv.put(m.dv.row(row), m.v.cols, accumulate_dv);
}

// The tokens of a row of decoding, as one head of a warp sees them.
template <class T>
struct LshTokens {
  LshTableArgs args;
  Rows<T> buckets;
  std::int64_t row, head, newest;

  __device__ LshTokens(const LshTableArgs& given, const Rows<T>& of, std::int64_t item)
      : args(given), buckets(of), row(item / given.heads), head(item % given.heads) {
    const bool has_places = args.places != nullptr;
    newest = has_places ? args.counts[row] : args.counts[row] - 1;
    if (has_places && args.places[row] < 0) {
      newest = -1;
    }
  }
  __device__ std::int64_t row_of(std::int64_t j) const {
    const std::int64_t at =
        args.places != nullptr && j == newest ? static_cast<std::int64_t>(args.places[row])
        : args.table != nullptr ? static_cast<std::int64_t>(args.table[row * args.table_stride + j])
                                : args.first[row] + j;
    return at * args.heads + head;
  }
  __device__ bool alike(std::int64_t round, std::int64_t j) const {
    return to_float(buckets.row(row_of(j))[round]) == to_float(buckets.row(row_of(newest))[round]);
  }
  // Of the n tokens before the newest in its bucket: the first of its chunk and the one before.
  __device__ std::int64_t first_seen(std::int64_t round) const {
    int n = 0;
    for (std::int64_t j = lane_of_thread(); j < newest; j += kLanes) {
      n += alike(round, j) ? 1 : 0;
    }
    n = static_cast<int>(warp_sum(static_cast<float>(n)));
    const std::int64_t before = n / args.chunk > 1 ? n / args.chunk - 1 : 0;
    auto wanted = static_cast<int>(n - before * args.chunk);
    std::int64_t begin = newest;
    while (wanted > 0) {
      begin -= kLanes;
      const std::int64_t j = begin + lane_of_thread();
      unsigned found = __ballot_sync(kAllLanes, j >= 0 && alike(round, j));
      while (__popc(found) > wanted) {
        found &= found - 1;  // the earliest are not seen
      }
      wanted -= __popc(found);
      if (wanted == 0) {
        return begin + __ffs(static_cast<int>(found)) - 1;
      }
    }
    return begin;
  }
};

constexpr int kMostRounds = 64;

template <class T>
__global__ void __launch_bounds__(kThreads) lsh_table_kernel(LshTableArgs args, Rows<T> buckets) {
  const std::int64_t item = row_of_warp();
  if (item >= args.rows * args.heads) {
    return;
  }
  const LshTokens<T> tokens(args, buckets, item);
  std::int32_t* const seen = args.seen + item * args.most;
  std::int64_t first[kMostRounds];
  int count = 0;
  for (std::int64_t round = 0; round < buckets.cols && tokens.newest >= 0; ++round) {
    first[round] = tokens.first_seen(round);
    for (std::int64_t base = first[round]; base < tokens.newest; base += kLanes) {
      const std::int64_t j = base + lane_of_thread();
      bool in = j < tokens.newest && tokens.alike(round, j);
      for (std::int64_t earlier = 0; earlier < round && in; ++earlier) {
        in = j < first[earlier] || !tokens.alike(earlier, j);
      }
      const unsigned found = __ballot_sync(kAllLanes, in);
      if (in) {
        const int place = count + __popc(found & ((1U << lane_of_thread()) - 1U));
        seen[place] = static_cast<std::int32_t>(tokens.row_of(j));
      }
      count += __popc(found);
    }
  }
  if (lane_of_thread() == 0) {
    if (count == 0 && tokens.newest >= 0) {
      seen[count++] = static_cast<std::int32_t>(tokens.row_of(tokens.newest));
    }
    args.seen_counts[item] = count;
  }
}

void check_width(const LshAttentionArgs& args) {
  check<NotImplemented>(
      args.q.cols <= kLaneChannels * kLanes && args.v.cols <= kLaneChannels * kLanes,
      "lsh_attention: heads of {} and {} channels are wider than the {} of the "
      "cuda backend",
      args.q.cols, args.v.cols, kLaneChannels * kLanes);
}

template <class T>
LshRows<T> lsh_rows(const LshAttentionArgs& args) {
  LshRows<T> rows;
  rows.q = rows_of<T>(args.q);
  rows.k = rows_of<T>(args.k);
  rows.v = rows_of<T>(args.v);
  rows.out = rows_of<T>(args.out);
  rows.lse = rows_of<float>(args.lse);
  return rows;
}

void lsh_buckets(const LshBucketsArgs& args, Exec& exec) {
  if (args.x.rows == 0) {
    return;
  }
  with_forward_type(args.x.dtype, "lsh_buckets", [&](auto t) {
    using T = decltype(t);
    lsh_buckets_kernel<T><<<blocks_for(args.x.rows, kWarps), kThreads, 0, stream_of(exec)>>>(
        rows_of<T>(args.x), rows_of<float>(args.rotations), rows_of<T>(args.buckets), args.x.rows,
        args.rotations.rows / args.buckets.cols);
  });
  check_launch("lsh_buckets");
}

void lsh_order(const LshOrderArgs& args, Exec& exec) {
  if (args.buckets.rows == 0) {
    return;
  }
  check<NotImplemented>(args.count <= kThreads,
                        "lsh_order: {} buckets are more than the {} of the cuda backend",
                        args.count, kThreads);
  with_forward_type(args.buckets.dtype, "lsh_order", [&](auto t) {
    using T = decltype(t);
    const dim3 grid(static_cast<unsigned>(args.sentences),
                    static_cast<unsigned>(args.buckets.cols * args.heads));
    lsh_order_kernel<T>
        <<<grid, kThreads, 0, stream_of(exec)>>>(rows_of<T>(args.buckets), args.offsets, args.order,
                                                 args.heads, static_cast<int>(args.count));
  });
  check_launch("lsh_order");
}

void lsh_attention(const LshAttentionArgs& args, Exec& exec) {
  if (args.q.rows == 0) {
    return;
  }
  check_width(args);
  with_forward_type(args.q.dtype, "lsh_attention", [&](auto t) {
    using T = decltype(t);
    lsh_attention_kernel<T><<<blocks_for(args.q.rows, kWarps), kThreads, 0, stream_of(exec)>>>(
        args, lsh_rows<T>(args), args.q.rows);
  });
  check_launch("lsh_attention");
}

void lsh_attention_backward(const LshAttentionBackwardArgs& args, Exec& exec) {
  const LshAttentionArgs& in = args.forward;
  if (in.q.rows == 0) {
    return;
  }
  check_width(in);
  with_type(in.q.dtype, "lsh_attention_backward", [&](auto t) {
    using T = decltype(t);
    LshRows<T> rows = lsh_rows<T>(in);
    rows.dout = rows_of<T>(args.dout);
    rows.dq = rows_of<T>(args.dq);
    rows.dk = rows_of<T>(args.dk);
    rows.dv = rows_of<T>(args.dv);
    rows.products = rows_of<float>(args.products);
    const unsigned blocks = blocks_for(in.q.rows, kWarps);
    lsh_query_gradient_kernel<T>
        <<<blocks, kThreads, 0, stream_of(exec)>>>(in, rows, in.q.rows, args.accumulate_dq);
    lsh_key_gradient_kernel<T><<<blocks, kThreads, 0, stream_of(exec)>>>(
        in, rows, in.q.rows, args.accumulate_dk, args.accumulate_dv);
  });
  check_launch("lsh_attention_backward");
}

void lsh_table(const LshTableArgs& args, Exec& exec) {
  if (args.rows == 0) {
    return;
  }
  check<NotImplemented>(args.buckets.cols <= kMostRounds,
                        "lsh_table: {} rounds are more than the {} of the cuda backend",
                        args.buckets.cols, kMostRounds);
  with_forward_type(args.buckets.dtype, "lsh_table", [&](auto t) {
    using T = decltype(t);
    lsh_table_kernel<T>
        <<<blocks_for(args.rows * args.heads, kWarps), kThreads, 0, stream_of(exec)>>>(
            args, rows_of<T>(args.buckets));
  });
  check_launch("lsh_table");
}

const Registration registration([](Kernels& table) {
  table.lsh_buckets = lsh_buckets;
  table.lsh_order = lsh_order;
  table.lsh_attention = lsh_attention;
  table.lsh_attention_backward = lsh_attention_backward;
  table.lsh_table = lsh_table;
});

}  // namespace
}  // namespace yona::cuda
