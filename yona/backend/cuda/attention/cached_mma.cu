// Attention over a cache with tensor cores, for bf16 and f16 and heads of 64 channels.
//
// A block takes four neighbouring rows, which mostly are beams of one sentence, and four heads, one
// to a warp. Beams share what they see: all of the memory, and of their own tokens those from
// before they parted. The block lists, for 32 positions at a time, the different rows of the cache
// that its rows see there, each with the set of rows that see it; so every key and value is read
// once for all of them, whatever beams have in common, and whatever rows come together.
//
// The list goes through mma.m16n8k16 in pairs of tiles of 16 keys, operands straight from memory:
// the sum over channels does not care in which order they come, so that a lane reads 32 bytes of a
// key, and which channels of the values are a tile's rows is free too, so that a lane reads 16
// bytes of a value and writes 16 bytes of the result. The first product, queries · keysᵀ, has the
// four queries twice; of their weights, which the second, valuesᵀ · weightsᵀ, takes as they come
// out of the first, one copy is what rounding leaves and the other what it takes away: the sum of
// both is as good as weights in f32.

#include <climits>

#include "yona/backend/cuda/attention/cached.cuh"
#include "yona/backend/cuda/common/quad.cuh"

namespace yona::cuda {

namespace {

constexpr int kHead = 64;
constexpr int kRows = 4;   // of a block
constexpr int kHeads = 4;  // of a block, each a warp's
constexpr int kMmaThreads = kHeads * kLanes;
constexpr int kPositions = kMmaThreads / kRows;  // that are listed at a time
constexpr int kKeys = 16;                        // of a tile
constexpr int kTiles = 2;                        // that are on their way together
constexpr int kDepth = kHead / 16;
constexpr int kParts = kHead / 16;  // of 16 channels of the result
constexpr std::int32_t kNothing = INT_MIN;

// c += a · b.
template <class T>
__device__ void multiply_add(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                             std::uint32_t b1) {
  if constexpr (std::is_same_v<T, bf16>) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
}

// Two weights as memory would hold them, or what that takes from them.
template <class T>
__device__ std::uint32_t pack(float x, float y, bool rest) {
  if (rest) {
    x -= rounded<T>(x);
    y -= rounded<T>(y);
  }
  if constexpr (std::is_same_v<T, bf16>) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(x, y);
    return *reinterpret_cast<const std::uint32_t*>(&pair);
  } else {
    const __half2 pair = __floats2half2_rn(x, y);
    return *reinterpret_cast<const std::uint32_t*>(&pair);
  }
}

// A row of the cache, or, as its complement, a fresh one; and which rows of the block see it.
struct Listed {
  std::int32_t row;
  std::uint32_t seen_by;
};

struct List {
  Listed entries[kMmaThreads];
  int counts[kHeads];  // of the warps

  // What thread t finds at position first + t/4 for row t%4 of the block, if no thread before it in
  // the same four did; by all threads, which get how many there are.
  __device__ int make(std::int32_t found) {
    const int lane = static_cast<int>(threadIdx.x) % kLanes;
    const int warp = static_cast<int>(threadIdx.x) / kLanes;
    const int row = lane % kRows;
    std::uint32_t seen_by = 1U << row;
#pragma unroll
    for (int distance = 1; distance < kRows; ++distance) {
      const bool same = __shfl_xor_sync(0xFFFFFFFFU, found, distance) == found;
      seen_by |= same ? 1U << (row ^ distance) : 0U;
    }
    const bool mine = found != kNothing && (seen_by & ((1U << row) - 1U)) == 0;
    const unsigned all = __ballot_sync(0xFFFFFFFFU, mine);
    if (lane == 0) {
      counts[warp] = __popc(all);
    }
    __syncthreads();
    int at = __popc(all & ((1U << lane) - 1U));
    int count = 0;
#pragma unroll
    for (int w = 0; w < kHeads; ++w) {
      at += w < warp ? counts[w] : 0;
      count += counts[w];
    }
    if (mine) {
      entries[at] = {found, seen_by};
    }
    __syncthreads();
    return count;
  }
};

// What a lane has of 16 keys: 16 channels of keys lane/4 and lane/4 + 8, and 8 of the values of
// four keys, 2·(lane%4), the next, and those 8 farther.
struct Tile {
  uint4 k[2][2];
  uint4 v[4];
  std::uint32_t seen;  // which of the four its query sees
};

// Where this lane's channels of keys or values begin in the cache, and where in fresh rows.
template <class T>
struct Source {
  const T* cached;
  const T* fresh;
  int stride, fresh_stride;  // one multiplication of 32 bits to an address

  __device__ Source(const Rows<T>& from, const Rows<T>& fresh_from, int channel, int fresh_channel)
      : cached(from.data + channel),
        fresh(fresh_from.data + fresh_channel),
        stride(static_cast<int>(from.stride)),
        fresh_stride(static_cast<int>(fresh_from.stride)) {}

  __device__ const uint4* at(std::int32_t row) const {
    const T* found = row >= 0 ? cached + static_cast<std::int64_t>(row) * stride
                              : fresh + static_cast<std::int64_t>(~row) * fresh_stride;
    return reinterpret_cast<const uint4*>(found);
  }
};

template <class T>
__device__ void read_tile(const Source<T>& k, const Source<T>& v, const Listed* entries, int count,
                          Tile& tile) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int group = lane / 4;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const uint4* from = k.at(entries[min(group + 8 * i, count - 1)].row);
    tile.k[i][0] = from[0];
    tile.k[i][1] = from[1];
  }
  tile.seen = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int at = lane % 4 * 2 + i % 2 + i / 2 * 8;
    const Listed entry = entries[min(at, count - 1)];
    tile.v[i] = *v.at(entry.row);
    tile.seen |= at < count ? (entry.seen_by >> (group % kRows) & 1U) << i : 0U;
  }
}

// The scores of the lane's query with its four keys; -infinity where it does not see them.
template <class T>
__device__ void score(const std::uint32_t (&q)[kDepth][4], const Tile& tile, float scale,
                      float (&scores)[4]) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    float sums[4] = {};
    const auto* words = reinterpret_cast<const std::uint32_t*>(tile.k[i]);
#pragma unroll
    for (int step = 0; step < kDepth; ++step) {
      multiply_add<T>(sums, q[step], words[2 * step], words[2 * step + 1]);
    }
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const bool seen = (tile.seen >> (2 * i + e) & 1U) != 0;
      scores[2 * i + e] = seen ? sums[e] * scale : -INFINITY;
    }
  }
}

// sums += valuesᵀ · weightsᵀ: of eight channels of the values, two are rows of each part.
template <class T>
__device__ void add_values(const float (&weights)[4], const Tile& tile, float (&sums)[kParts][4]) {
  const bool rest = static_cast<int>(threadIdx.x) % kLanes / 4 >= kRows;
  const std::uint32_t b[2] = {pack<T>(weights[0], weights[1], rest),
                              pack<T>(weights[2], weights[3], rest)};
  const auto* v = reinterpret_cast<const std::uint32_t(*)[4]>(tile.v);
#pragma unroll
  for (int t = 0; t < kParts; ++t) {
    const std::uint32_t a[4] = {
        __byte_perm(v[0][t], v[1][t], 0x5410U), __byte_perm(v[0][t], v[1][t], 0x7632U),
        __byte_perm(v[2][t], v[3][t], 0x5410U), __byte_perm(v[2][t], v[3][t], 0x7632U)};
    multiply_add<T>(sums[t], a, b[0], b[1]);
  }
}

// The softmax of the lane's query so far, by exp2; of the total it has that of its own
// keys. Sums are of eight channels, and of the two queries 2·(lane%4) and the next.
struct Running {
  float largest = -INFINITY;
  float total = 0.0F;
  float sums[kParts][4] = {};

  __device__ void correct(float correction) {
    const int lane = static_cast<int>(threadIdx.x) % kLanes;
    const float of_sums[2] = {__shfl_sync(0xFFFFFFFFU, correction, lane % 4 * 8),
                              __shfl_sync(0xFFFFFFFFU, correction, lane % 4 * 8 + 4)};
    total *= correction;
#pragma unroll
    for (int t = 0; t < kParts; ++t) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        sums[t][e] *= of_sums[e % 2];
      }
    }
  }

  template <class T>
  __device__ void add(const std::uint32_t (&q)[kDepth][4], const Tile (&tiles)[kTiles], int used,
                      float scale) {
    float scores[kTiles][4];
    float top = largest;
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {
      if (i < used) {
        score<T>(q, tiles[i], scale, scores[i]);
        top =
            fmaxf(top, fmaxf(fmaxf(scores[i][0], scores[i][1]), fmaxf(scores[i][2], scores[i][3])));
      }
    }
    top = quad_max(top);
    const float base = top == -INFINITY ? 0.0F : top;
    if (__ballot_sync(0xFFFFFFFFU, top != largest) != 0) {
      correct(exp2_fast(largest - base));
    }
    largest = top;
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {
      if (i < used) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          scores[i][e] = exp2_fast(scores[i][e] - base);
          total += scores[i][e];
        }
        add_values<T>(scores[i], tiles[i], sums);
      }
    }
  }

  // Eight channels of query `mine`, of which the lanes that share them have two each and the rests
  // of two others.
  __device__ void finish(int mine, float (&out)[kPack]) const {
    const bool has_rest = static_cast<int>(threadIdx.x) % 4 >= kRows / 2;
    const float all = quad_sum(total);
    const float of_mine = __shfl_sync(0xFFFFFFFFU, all, mine * 4);
    const float factor = of_mine > 0.0F ? 1.0F / of_mine : 0.0F;
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      const float first = sums[i / 2][i % 2 * 2];
      const float second = sums[i / 2][i % 2 * 2 + 1];
      const float given = __shfl_xor_sync(0xFFFFFFFFU, has_rest ? first : second, 2);
      out[i] = ((has_rest ? second : first) + given) * factor;
    }
  }
};

// What row `row` sees at position j, of which this thread is to say; -1: none.
template <class T>
struct Sight {
  bool there;
  std::int64_t row;
  int earlier, count;

  __device__ Sight(const Cached<T>& c, std::int64_t which) : there(which < c.rows), row(which) {
    earlier = there ? c.counts[row] : 0;
    const int place = there && c.fresh.there() ? c.places[row] : -1;
    count = !c.fresh.there() ? earlier : place < 0 ? 0 : earlier + 1;
  }
  __device__ std::int32_t at(const Cached<T>& c, int j) const {
    // The table is read before it is known whether it has so much: its row does.
    std::int32_t found = 0;
    if (there && c.table != nullptr) {
      found = j < c.table_stride ? c.table[row * c.table_stride + j] : 0;
    } else if (there) {
      found = static_cast<std::int32_t>(c.first[row]) + j;
    }
    if (j >= count) {
      return kNothing;
    }
    return j == earlier ? ~static_cast<std::int32_t>(row) : found;
  }
};

// This warp's head of the block's fresh keys and values: lanes 8r … 8r + 7 have row r.
template <class T>
__device__ void put_fresh(const Cached<T>& c, std::int64_t first_row, int head) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t row = first_row + lane / 8;
  const std::int32_t place = row < c.rows ? c.places[row] : -1;
  if (place < 0) {
    return;
  }
  const int channel = head * kHead + lane % 8 * kPack;
  const T* from = c.fresh.row(row) + channel;
  *reinterpret_cast<uint4*>(c.k.row(place) + channel) = *reinterpret_cast<const uint4*>(from);
  *reinterpret_cast<uint4*>(c.v.row(place) + channel) =
      *reinterpret_cast<const uint4*>(from + c.heads * kHead);
}

template <class T>
__global__ void __launch_bounds__(kMmaThreads, 4) cached_mma_kernel(Cached<T> c) {
  __shared__ List list;
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % kLanes;
  const int head = static_cast<int>(blockIdx.y) * kHeads + thread / kLanes;
  const bool there = head < c.heads;
  const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.x) * kRows;
  const Sight<T> sight(c, first_row + thread % kRows);
  int most = max(sight.count, __shfl_xor_sync(0xFFFFFFFFU, sight.count, 1));
  most = max(most, __shfl_xor_sync(0xFFFFFFFFU, most, 2));
  const std::int64_t query = first_row + lane / 4 % kRows;
  std::uint32_t q[kDepth][4] = {};
  if (there && query < c.rows) {
    const auto* from =
        reinterpret_cast<const uint4*>(c.q.row(query) + head * kHead + lane % 4 * 16);
    const uint4 halves[2] = {from[0], from[1]};
    const auto* words = reinterpret_cast<const std::uint32_t*>(halves);
#pragma unroll
    for (int step = 0; step < kDepth; ++step) {
      q[step][0] = words[2 * step];
      q[step][2] = words[2 * step + 1];
    }
  }
  if (there && c.fresh.there()) {
    put_fresh(c, first_row, head);
  }
  const int channel = head * kHead;
  const Source<T> k(c.k, c.fresh, channel + lane % 4 * 16, channel + lane % 4 * 16);
  const Source<T> v(c.v, c.fresh, channel + lane / 4 * kPack,
                    (c.heads + head) * kHead + lane / 4 * kPack);
  Running running;
  for (int first = 0; first < most; first += kPositions) {
    const int count = list.make(sight.at(c, first + thread / kRows));
    for (int at = 0; there && at < count; at += kTiles * kKeys) {
      Tile tiles[kTiles];
      int used = 1;
      read_tile(k, v, list.entries + at, count - at, tiles[0]);
#pragma unroll
      for (int i = 1; i < kTiles; ++i) {
        if (at + i * kKeys < count) {
          read_tile(k, v, list.entries + at + i * kKeys, count - at - i * kKeys, tiles[i]);
          ++used;
        }
      }
      running.template add<T>(q, tiles, used, c.scale * kLog2E);
    }
    __syncthreads();  // the list has been read
  }
  const int mine = lane % 2 * 2 + lane % 4 / 2;
  float out[kPack];
  running.finish(mine, out);
  if (there && first_row + mine < c.rows) {
    store8(c.out.row(first_row + mine) + head * kHead + lane / 4 * kPack, out);
  }
}

template <class T>
void launch(const Cached<T>& c, cudaStream_t stream) {
  const dim3 grid(blocks_for(c.rows, kRows), blocks_for(c.heads, kHeads));
  cached_mma_kernel<<<grid, kMmaThreads, 0, stream>>>(c);
}

}  // namespace

void launch_cached_mma(const Cached<bf16>& c, cudaStream_t stream) { launch(c, stream); }
void launch_cached_mma(const Cached<f16>& c, cudaStream_t stream) { launch(c, stream); }

}  // namespace yona::cuda
