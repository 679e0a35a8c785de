// Rotary position embedding in place: a thread turns a pack of eight channels of one half of a head
// with the eight of the other half; single channels where halves are not whole packs.

#include "yona/backend/cuda/common/rows.cuh"
#include "yona/backend/cuda/runtime/registration.h"
#include "yona/backend/kernel_args.h"

namespace yona::cuda {

namespace {

template <class T>
struct Rotation {
  Rows<T> x;
  Rows<float> table;
  const std::int32_t* positions = nullptr;
  std::int64_t count = 0;  // of packs, or of single channels
  int half = 0, d_k = 0;
  float sign = 1.0F;
};

// (a, b) ← (a cos - b sin, b cos + a sin)
__device__ inline void turn(float cosine, float sine, float& a, float& b) {
  const float first = a;
  a = first * cosine - b * sine;
  b = b * cosine + first * sine;
}

template <class T, bool kPacks>
__global__ void __launch_bounds__(kThreads) rotary_kernel(Rotation<T> r) {
  constexpr int kChannels = kPacks ? kPack : 1;
  const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (item >= r.count) {
    return;
  }
  const int items = r.half / kChannels;  // of a head
  const std::int64_t heads = r.x.cols / r.d_k;
  const std::int64_t row = item / (items * heads);
  const std::int64_t head = item / items % heads;
  const int channel = static_cast<int>(item % items) * kChannels;
  T* a_at = r.x.row(row) + head * r.d_k + channel;
  T* b_at = a_at + r.half;
  const float* cosines = r.table.row(r.positions[row]) + channel;
  if constexpr (kPacks) {
    float a[kPack];
    float b[kPack];
    float cosine[kPack];
    float sine[kPack];
    load8(a_at, a);
    load8(b_at, b);
    load8(cosines, cosine);
    load8(cosines + r.half, sine);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      turn(cosine[i], r.sign * sine[i], a[i], b[i]);
    }
    store8(a_at, a);
    store8(b_at, b);
  } else {
    float a = to_float(*a_at);
    float b = to_float(*b_at);
    turn(*cosines, r.sign * cosines[r.half], a, b);
    *a_at = from_float<T>(a);
    *b_at = from_float<T>(b);
  }
}

void rotary(const RotaryArgs& args, Exec& exec) {
  const std::int64_t half = args.table.cols / 2;
  const std::int64_t pairs = args.x.rows * (args.x.cols / args.d_k) * half;
  if (pairs == 0) {
    return;
  }
  with_forward_type(args.x.dtype, "rotary", [&](auto t) {
    using T = decltype(t);
    Rotation<T> rotation{rows_of<T>(args.x),
                         rows_of<float>(args.table),
                         args.positions,
                         pairs,
                         static_cast<int>(half),
                         static_cast<int>(args.d_k),
                         args.inverse ? -1.0F : 1.0F};
    if (half % kPack == 0 && args.d_k % kPack == 0 && rotation.x.vector && rotation.table.vector) {
      rotation.count /= kPack;
      rotary_kernel<T, true>
          <<<blocks_for(rotation.count, kThreads), kThreads, 0, stream_of(exec)>>>(rotation);
    } else {
      rotary_kernel<T, false>
          <<<blocks_for(rotation.count, kThreads), kThreads, 0, stream_of(exec)>>>(rotation);
    }
  });
  check_launch("rotary");
}

const Registration registration([](Kernels& table) { table.rotary = rotary; });

}  // namespace
}  // namespace yona::cuda
