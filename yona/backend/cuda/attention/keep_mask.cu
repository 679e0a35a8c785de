// What attention over long sentences knows before it begins: the keep mask of dropout, a bit for
// each head, query and key; and in the backward pass D of every query
// (attention/general_backward.cuh). The first is arithmetic and the second waits for memory, so
// that one kernel does both.

#include "yona/backend/attention_decisions.h"
#include "yona/backend/cuda/attention/mma_tiled.cuh"
#include "yona/backend/cuda/common/dependent_launch.cuh"

namespace yona::cuda {

namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53U;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57U;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9U;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85U;

// In the first two rounds of Philox, a product is either of the key position or of the query's key:
// each is formed once, and what both give is put together by the third round (random.h).
struct KeyRounds {
  std::uint32_t c0, c2, c1;  // what the counters are made of at the third round; c1 with its key

  __device__ static uint4 of(const Dropout& dropout, std::uint32_t position, std::uint32_t part) {
    const auto key0 = static_cast<std::uint32_t>(dropout.key);
    const auto key1 = static_cast<std::uint32_t>(dropout.key >> 32U);
    const std::uint32_t y = __umulhi(kMultiplier0, position) ^ (dropout.stream + part) ^ key1;
    return make_uint4(__umulhi(kMultiplier1, y), kMultiplier0 * position,
                      (kMultiplier1 * y) ^ (key0 + 2 * kWeyl0),
                      dropout.threshold << 16U | dropout.threshold);
  }
};

struct QueryRounds {
  std::uint32_t c0, c2, c3;

  __device__ QueryRounds(const Dropout& dropout, std::uint64_t query_key) {
    const auto key0 = static_cast<std::uint32_t>(dropout.key);
    const auto key1 = static_cast<std::uint32_t>(dropout.key >> 32U);
    const auto high = static_cast<std::uint32_t>(query_key >> 32U);
    const std::uint32_t x =
        __umulhi(kMultiplier1, high) ^ static_cast<std::uint32_t>(query_key) ^ key0;
    c0 = (kMultiplier1 * high) ^ (key0 + kWeyl0);
    c2 = __umulhi(kMultiplier0, x) ^ (key1 + kWeyl1);
    c3 = (kMultiplier0 * x) ^ (key1 + 2 * kWeyl1);
  }

  // dropout_words() of the query and a key position.
  __device__ uint4 words(const uint2 (&keys)[kDropoutRounds], const uint4& position) const {
    const std::uint32_t at0 = position.x ^ c0;
    const std::uint32_t at2 = position.y ^ c2;
    const std::uint64_t product0 = std::uint64_t{kMultiplier0} * at0;
    const std::uint64_t product1 = std::uint64_t{kMultiplier1} * at2;
    auto w0 = static_cast<std::uint32_t>(product1 >> 32U) ^ position.z;
    auto w1 = static_cast<std::uint32_t>(product1);
    auto w2 = static_cast<std::uint32_t>(product0 >> 32U) ^ c3;
    auto w3 = static_cast<std::uint32_t>(product0);
#pragma unroll
    for (int round = 3; round < kDropoutRounds; ++round) {
      const std::uint64_t next0 = std::uint64_t{kMultiplier0} * w0;
      const std::uint64_t next1 = std::uint64_t{kMultiplier1} * w2;
      w0 = static_cast<std::uint32_t>(next1 >> 32U) ^ w1 ^ keys[round].x;
      w1 = static_cast<std::uint32_t>(next1);
      w2 = static_cast<std::uint32_t>(next0 >> 32U) ^ w3 ^ keys[round].y;
      w3 = static_cast<std::uint32_t>(next0);
    }
    return make_uint4(w0, w1, w2, w3);
  }
};
static_assert(kDropoutRounds > 3);

// Adds `bit` where the lower and where the upper half of the word reach those of the threshold. One
// instruction of Hopper compares both; written as C++, each sum would take two more.
__device__ inline void add_kept(std::uint32_t word, std::uint32_t threshold, std::uint32_t bit,
                                std::uint32_t& low, std::uint32_t& high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("{.reg .pred p, q; .reg .b16 a, b, c, d; .reg .b32 m;"
      " max.u16x2 m, %2, %3; mov.b32 {a, b}, m; mov.b32 {c, d}, %2;"
      " setp.eq.u16 p, a, c; setp.eq.u16 q, b, d; @p add.u32 %0, %0, %4; @q add.u32 %1, %1, %4;}"
      : "+r"(low), "+r"(high)
      : "r"(word), "r"(threshold), "r"(bit));
#else
  low += (word & 0xFFFFU) >= (threshold & 0xFFFFU) ? bit : 0;
  high += word >> 16U >= threshold >> 16U ? bit : 0;
#endif
}

// A lane is a query, and goes over the 32 keys of a word, whose part of Philox the warp has put
// into shared memory.
__device__ inline void decide_word(const Dropout& dropout, const QueryRounds& query,
                                   const uint4* positions, std::uint32_t (&words)[kHeadGroup]) {
#pragma unroll
  for (int h = 0; h < kHeadGroup; ++h) {
    words[h] = 0;
  }
  uint2 keys[kDropoutRounds];
#pragma unroll
  for (int round = 3; round < kDropoutRounds; ++round) {
    keys[round].x = static_cast<std::uint32_t>(dropout.key) + round * kWeyl0;
    keys[round].y = static_cast<std::uint32_t>(dropout.key >> 32U) + round * kWeyl1;
#ifdef __CUDA_ARCH__
    asm volatile("" : "+r"(keys[round].x), "+r"(keys[round].y));  // once, not for every key
#endif
  }
  const std::uint32_t threshold = positions[0].w;
  std::uint32_t bit = 1;
#pragma unroll 4
  for (int j = 0; j < kWordKeys; ++j, bit <<= 1U) {
    const uint4 block = query.words(keys, positions[j]);
    const std::uint32_t word[4] = {block.x, block.y, block.z, block.w};
#pragma unroll
    for (int i = 0; i < kHeadGroup / 2; ++i) {
      add_kept(word[i], threshold, bit, words[2 * i], words[2 * i + 1]);
    }
  }
}

// D of 32 queries and the block's eight heads.
template <int D>
__device__ void find_deltas(const AttentionProblem<bf16>& p, const Rows<bf16>& dout,
                            std::int64_t first, int count, int first_head,
                            const QueryTable& queries) {
  constexpr int kPieces = D / kPack;  // lanes of an item
  const int thread = static_cast<int>(threadIdx.x);
  const int head = first_head + thread / kPieces % kHeadGroup;
  const int channel = head * D + thread % kPieces * kPack;
  constexpr int kRowsAtOnce = kLongThreads / kPieces / kHeadGroup;
#pragma unroll 4
  for (int r = 0; r < kLanes; r += kRowsAtOnce) {
    const int i = r + thread / kPieces / kHeadGroup;
    const bool there = i < count && head < p.heads;
    float sum = 0.0F;
    if (there) {
      float x[kPack];
      float y[kPack];
      load8(p.out.row(first + i) + channel, x);
      load8(dout.row(first + i) + channel, y);
#pragma unroll
      for (int c = 0; c < kPack; ++c) {
        sum += x[c] * y[c];
      }
    }
#pragma unroll
    for (int distance = kPieces / 2; distance > 0; distance /= 2) {
      sum += __shfl_xor_sync(0xFFFFFFFFU, sum, distance);
    }
    if (there && thread % kPieces == 0) {
      queries.delta_of(head)[first + i] = sum;
      queries.lse_of(head)[first + i] = p.lse.row(first + i)[head] * kLog2E;
    }
  }
}

// A block takes 32 queries and eight heads, a warp the words of every eighth 32 keys.
__global__ void __launch_bounds__(kLongThreads, 5)
    prepare_kernel(AttentionProblem<bf16> p, KeepMask table, Rows<bf16> dout, QueryTable queries) {
  __shared__ uint4 positions[kLongWarps][kWordKeys];
  wait_for_previous_grid();
  const Sentence sentence(p, blockIdx.x / p.tiles);
  const int first = static_cast<int>(blockIdx.x % p.tiles) * kLanes;
  if (!(is_long(sentence) || p.pattern) || first >= sentence.queries) {
    return;
  }
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int count = min(sentence.queries - first, kLanes);
  const std::int64_t row = sentence.first_query + first;
  const int first_head = static_cast<int>(blockIdx.y) * kHeadGroup;
  if (queries.delta != nullptr) {
    if (p.d_v == 32) {
      find_deltas<32>(p, dout, row, count, first_head, queries);
    } else {
      find_deltas<64>(p, dout, row, count, first_head, queries);
    }
  }
  if (table.words == nullptr) {
    return;
  }
  const int end = sentence.visible(first + count - 1);
  const QueryRounds query(p.dropout, p.q_keys[row + min(lane, count - 1)]);
  for (int j0 = warp * kWordKeys; j0 < end; j0 += kLongWarps * kWordKeys) {
    positions[warp][lane] =
        KeyRounds::of(p.dropout, static_cast<std::uint32_t>(j0 + lane), blockIdx.y);
    __syncwarp();
    std::uint32_t words[kHeadGroup];
    decide_word(p.dropout, query, positions[warp], words);
    __syncwarp();
    if (lane < count) {
#pragma unroll
      for (int h = 0; h < kHeadGroup; ++h) {
        table.of(first_head + h, j0)[row + lane] = words[h];
      }
    }
  }
}

// Padded by a tile of queries that reaches beyond the last (backend/attention_decisions.h).
static_assert(kHeadGroup == 8 && kWordKeys == 32 && kLongRows == 64);
std::int64_t queries_of(const AttentionArgs& args) { return args.q.rows + kLongRows; }

KeepMask table_of(const AttentionArgs& args) {
  return {args.keep_mask, queries_of(args), blocks_for(args.longest_k, kWordKeys)};
}

KeepMask prepare(const AttentionArgs& args, const Rows<bf16>& dout, const QueryTable& queries,
                 CudaExec& exec) {
  KeepMask table = table_of(args);
  if (args.dropout && args.keep_mask == nullptr) {
    table.words = exec.scratch.take<std::uint32_t>(attention_keep_mask_words(args));
  }
  if ((!args.dropout && queries.delta == nullptr) || args.longest_q == 0) {
    return table;
  }
  AttentionProblem<bf16> problem = problem_of<bf16>(args);
  problem.dilation = 1;  // all queries of a sentence, whatever their parts
  problem.tiles = static_cast<int>(blocks_for(args.longest_q, kLanes));
  const dim3 grid(static_cast<unsigned>(problem.tiles * args.sentences),
                  blocks_for(args.heads, kHeadGroup));
  launch_dependent(prepare_kernel, {grid, kLongThreads}, exec.cuda_stream, "attention dropout",
                   problem, table, dout, queries);
  return table;
}

}  // namespace

std::int64_t keep_mask_bytes(const AttentionArgs& args) {
  return args.dropout && args.keep_mask == nullptr
             ? Scratch::size_for<std::uint32_t>(attention_keep_mask_words(args))
             : 0;
}

std::int64_t query_table_bytes(const AttentionArgs& args) {
  return 2 * Scratch::size_for<float>(args.heads * queries_of(args));
}

KeepMask keep_mask_of_forward(const AttentionArgs& args, CudaExec& exec) {
  return args.keep_mask != nullptr ? table_of(args) : make_keep_mask(args, exec);
}

KeepMask make_keep_mask(const AttentionArgs& args, CudaExec& exec) {
  return prepare(args, {}, {}, exec);
}

KeepMask make_keep_mask(const AttentionArgs& args, const View& dout, CudaExec& exec,
                        QueryTable& queries) {
  queries.queries = queries_of(args);
  queries.lse = exec.scratch.take<float>(args.heads * queries.queries);
  queries.delta = exec.scratch.take<float>(args.heads * queries.queries);
  return prepare(args, rows_of<bf16>(dout), queries, exec);
}

}  // namespace yona::cuda
