// The next token of each row of logits, and the row of the next step: a block takes a row.
//
// The best token is one reduction over the row. A draw needs a few passes over it, which stays in
// the L2 cache. top-k and top-p find the least logit that stays by radix selection, eight bits of
// it in a pass: top-k by counts, top-p by sums of weights. Weights are whole numbers, in units of
// 2⁻⁴⁰ of the best one's: their sums do not depend on an order, so that atomics may form them.

#include "yona/backend/cuda/common/rows.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

using Whole = unsigned long long;  // what atomicAdd takes

constexpr int kChoosers = 1024;  // threads of a block
constexpr int kChooserWarps = kChoosers / kLanes;
constexpr double kWholeWeight = 1099511627776.0;  // 2⁴⁰

// Whole numbers in the order of floats; 0 for -infinity and below everything else.
__device__ std::uint32_t ordered(float x) {
  const std::uint32_t bits = __float_as_uint(x + 0.0F);  // one zero
  return x == -INFINITY ? 0U : (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

__device__ float unordered(std::uint32_t key) {
  return __uint_as_float((key & 0x80000000U) != 0 ? key & 0x7FFFFFFFU : ~key);
}

struct ChooserMemory {
  Whole parts[kChooserWarps];
  Whole buckets[256];
  Whole above;
  std::uint32_t key;
  std::int32_t token;
};

__device__ Whole chooser_max(Whole x, ChooserMemory& memory) {
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    const Whole other = __shfl_xor_sync(0xFFFFFFFFU, x, distance);
    x = other > x ? other : x;
  }
  __syncthreads();
  if (threadIdx.x % kLanes == 0) {
    memory.parts[threadIdx.x / kLanes] = x;
  }
  __syncthreads();
  for (int warp = 0; warp < kChooserWarps; ++warp) {
    x = memory.parts[warp] > x ? memory.parts[warp] : x;
  }
  return x;
}

// The sum of the threads before this one; `total` becomes that of all.
__device__ Whole sum_before(Whole x, ChooserMemory& memory, Whole& total) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  Whole sum = x;
  for (int distance = 1; distance < kLanes; distance *= 2) {
    const Whole other = __shfl_up_sync(0xFFFFFFFFU, sum, distance);
    sum += lane >= distance ? other : 0;
  }
  __syncthreads();
  if (lane == kLanes - 1) {
    memory.parts[warp] = sum;
  }
  __syncthreads();
  Whole before = 0;
  total = 0;
  for (int i = 0; i < kChooserWarps; ++i) {
    before += i < warp ? memory.parts[i] : 0;
    total += memory.parts[i];
  }
  return before + sum - x;
}

// A row of logits, and which of its tokens stay.
struct ChooserRow {
  const float* logits;
  std::int64_t size;
  float best;
  double temperature;
  double min_p;
  std::uint32_t least = 1;     // keys below do not stay; 0 is -infinity's
  Whole of_least = ~Whole{0};  // of those that equal `least` so many first ones stay

  __device__ std::uint32_t key(std::int64_t i) const { return ordered(logits[i]); }
  __device__ Whole weight(std::uint32_t key) const {
    const double power = (static_cast<double>(unordered(key)) - best) / temperature;
    return __double2ull_rn(static_cast<double>(expf(static_cast<float>(power))) * kWholeWeight);
  }
};

// The largest key for which the sum of amount(key) over all keys from it upwards reaches `wanted`;
// memory.above becomes the sum over those above it. Where no sum reaches it: the least that stays.
template <class Amount>
__device__ std::uint32_t select_key(const ChooserRow& row, double wanted, const Amount& amount,
                                    ChooserMemory& memory) {
  std::uint32_t prefix = 0;
  if (threadIdx.x == 0) {
    memory.above = 0;
  }
  for (int shift = 24; shift >= 0; shift -= 8) {
    __syncthreads();
    if (threadIdx.x < 256) {
      memory.buckets[threadIdx.x] = 0;
    }
    __syncthreads();
    for (std::int64_t i = threadIdx.x; i < row.size; i += kChoosers) {
      const std::uint32_t key = row.key(i);
      const bool fits = shift == 24 || key >> (shift + 8) == prefix;
      if (fits && key >= row.least) {
        atomicAdd(&memory.buckets[key >> shift & 255U], amount(key));
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      int lowest = 0;  // bucket that holds anything
      while (lowest < 255 && memory.buckets[lowest] == 0) {
        ++lowest;
      }
      int bucket = 255;
      while (bucket > lowest &&
             static_cast<double>(memory.above + memory.buckets[bucket]) < wanted) {
        memory.above += memory.buckets[bucket--];
      }
      memory.key = prefix << 8U | static_cast<std::uint32_t>(bucket);
    }
    __syncthreads();
    prefix = memory.key;
  }
  return prefix;
}

// The tokens of a thread, which follow each other.
struct ChooserPart {
  std::int64_t begin, end;
  __device__ explicit ChooserPart(std::int64_t size) {
    const std::int64_t each = (size + kChoosers - 1) / kChoosers;
    begin = threadIdx.x * each < size ? threadIdx.x * each : size;
    end = begin + each < size ? begin + each : size;
  }
};

// Calls visit(i, weight) for the thread's tokens that stay; `equal` of those that equal the least
// one are before them.
template <class Visit>
__device__ void visit_kept(const ChooserRow& row, const ChooserPart& part, Whole equal,
                           const Visit& visit) {
  for (std::int64_t i = part.begin; i < part.end; ++i) {
    const std::uint32_t key = row.key(i);
    if (key < row.least || (key == row.least && equal++ >= row.of_least)) {
      continue;
    }
    const Whole weight = row.weight(key);
    if (static_cast<double>(weight) >= row.min_p * kWholeWeight) {
      visit(i, weight);
    }
  }
}

// Leaves the token in memory.token, where the best one is already.
__device__ void draw(ChooserRow& row, const TokenChoiceNumbers& choice, double number,
                     ChooserMemory& memory) {
  if (choice.top_k > 0 && choice.top_k < row.size) {
    const auto one = [](std::uint32_t /*key*/) { return Whole{1}; };
    row.least = select_key(row, static_cast<double>(choice.top_k), one, memory);
  }
  const ChooserPart part(row.size);
  Whole total = 0;
  if (choice.top_p < 1.0) {
    Whole mine = 0;
    visit_kept(row, part, 0, [&](std::int64_t /*i*/, Whole weight) { mine += weight; });
    sum_before(mine, memory, total);
    const double wanted = choice.top_p * static_cast<double>(total);
    row.least = select_key(
        row, wanted, [&](std::uint32_t key) { return row.weight(key); }, memory);
    const Whole each = row.weight(row.least);
    const double left = wanted - static_cast<double>(memory.above);
    if (each > 0 && left > 0) {
      row.of_least = __double2ull_ru(left / static_cast<double>(each));
    }
  }
  row.min_p = choice.min_p;
  Whole equal = 0;
  for (std::int64_t i = part.begin; i < part.end; ++i) {
    equal += row.key(i) == row.least ? 1 : 0;
  }
  equal = sum_before(equal, memory, total);
  Whole mine = 0;
  visit_kept(row, part, equal, [&](std::int64_t /*i*/, Whole weight) { mine += weight; });
  const Whole before = sum_before(mine, memory, total);
  const double wanted = number * static_cast<double>(total);
  if (static_cast<double>(before) <= wanted && static_cast<double>(before + mine) > wanted) {
    Whole sum = before;
    bool found = false;
    visit_kept(row, part, equal, [&](std::int64_t i, Whole weight) {
      sum += weight;
      if (!found && static_cast<double>(sum) > wanted) {
        memory.token = static_cast<std::int32_t>(i);
        found = true;
      }
    });
  }
  __syncthreads();
}

__device__ void go_on(const NextTokensArgs& a, std::int64_t r, std::int32_t token) {
  a.tokens[a.rows.steps[r] * a.logits.rows + r] = token;
  a.rows.ids[r] = token < 0 ? 0 : token;
  ++a.rows.positions[r];
  ++a.rows.counts[r];
  ++a.rows.places[r];
  ++a.rows.steps[r];
}

__global__ void __launch_bounds__(kChoosers) next_tokens_kernel(NextTokensArgs a) {
  __shared__ ChooserMemory memory;
  const std::int64_t r = blockIdx.x;
  if (a.rows.places[r] < 0) {
    return;
  }
  const float* logits = static_cast<const float*>(a.logits.data) + r * a.logits.stride;
  Whole best = 0;  // the key, and the first of equal tokens
  bool damaged = false;
  for (std::int64_t i = threadIdx.x; i < a.logits.cols; i += kChoosers) {
    const float x = logits[i];
    damaged = damaged || !(x < INFINITY);
    const Whole at = Whole{ordered(x)} << 32U | (0xFFFFFFFFU - static_cast<std::uint32_t>(i));
    best = at > best ? at : best;
  }
  damaged = __syncthreads_or(damaged ? 1 : 0) != 0;
  best = chooser_max(best, memory);
  const auto key = static_cast<std::uint32_t>(best >> 32U);
  if (threadIdx.x == 0) {
    memory.token = damaged ? -2
                   : key == 0
                       ? -1
                       : static_cast<std::int32_t>(0xFFFFFFFFU - static_cast<std::uint32_t>(best));
  }
  __syncthreads();
  const TokenChoiceNumbers choice = a.choices[r];
  if (choice.temperature > 0.0 && memory.token >= 0) {
    const double number = a.numbers[a.rows.steps[r] * a.logits.rows + r];
    ChooserRow row{logits, a.logits.cols, unordered(key), choice.temperature, 0.0};
    __syncthreads();
    draw(row, choice, number, memory);
  }
  if (threadIdx.x == 0) {
    go_on(a, r, memory.token);
  }
}

void next_tokens(const NextTokensArgs& args, Exec& exec) {
  if (args.logits.rows == 0) {
    return;
  }
  next_tokens_kernel<<<static_cast<unsigned>(args.logits.rows), kChoosers, 0, stream_of(exec)>>>(
      args);
  check_launch("next_tokens");
}

const Registration registration([](Kernels& table) { table.next_tokens = next_tokens; });

}  // namespace
}  // namespace yona::cuda
