// s = x + dropout(r) and layer normalisation of s: a warp takes a row and keeps it in registers.

#include "yona/backend/cuda/dropout.cuh"
#include "yona/backend/cuda/norm_width.cuh"
#include "yona/backend/cuda/registration.h"

namespace yona::cuda {

namespace {

template <class T>
struct Norm {
  Rows<T> x, r, s, y;
  Rows<float> weight, bias, statistics;
  std::int64_t rows = 0;
  float epsilon = 0.0F;
  const std::uint64_t* row_keys = nullptr;
  Dropout dropout{};
};

template <class T, int kChunks, bool kWhole>
__global__ void __launch_bounds__(kThreads) residual_norm_kernel(Norm<T> n) {
  const std::int64_t row =
      static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  if (row >= n.rows) {
    return;
  }
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t d = n.x.cols;
  const std::uint64_t key = n.dropout.threshold != 0 ? n.row_keys[row] : 0;
  // The rows of large models are read before anything is written: all of it is then on its way.
  constexpr int kAhead = kWhole ? kChunks : 1;
  Raw<T> ahead_x[kAhead];
  Raw<T> ahead_r[kAhead];
  const auto read = [&](int k) {
    const std::int64_t channel = k * kChunk + lane * kPack;
    ahead_x[k % kAhead] = read_raw<kWhole>(n.x, row, channel);
    if (n.r.there()) {
      ahead_r[k % kAhead] = read_raw<kWhole>(n.r, row, channel);
    }
  };
  if constexpr (kWhole) {
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      read(k);
    }
  }
  float s[kChunks][kPack];
  float sum = 0.0F;
#pragma unroll
  for (int k = 0; k < kChunks; ++k) {
    const std::int64_t channel = k * kChunk + lane * kPack;
    if constexpr (!kWhole) {
      read(k);
    }
    unpack(ahead_x[k % kAhead], s[k]);
    if (n.r.there()) {
      float r[kPack];
      unpack(ahead_r[k % kAhead], r);
      if (n.dropout.threshold != 0) {
        drop(n.dropout, key, k * kChunk, lane, r);
      }
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        s[k][i] = rounded<T>(s[k][i] + r[i]);
      }
      store_pack<kWhole>(n.s, row, channel, s[k]);
    }
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      sum += s[k][i];  // zero beyond the row
    }
  }
  const float mean = warp_sum(sum) / static_cast<float>(d);
  float squares = 0.0F;
#pragma unroll
  for (int k = 0; k < kChunks; ++k) {
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      const bool inside = kWhole || k * kChunk + lane * kPack + i < d;
      squares += inside ? (s[k][i] - mean) * (s[k][i] - mean) : 0.0F;
    }
  }
  const float rstd = rsqrtf(warp_sum(squares) / static_cast<float>(d) + n.epsilon);
#pragma unroll
  for (int k = 0; k < kChunks; ++k) {
    const std::int64_t channel = k * kChunk + lane * kPack;
    float weight[kPack];
    float bias[kPack];
    load_pack<kWhole>(n.weight, 0, channel, weight);
    load_pack<kWhole>(n.bias, 0, channel, bias);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      s[k][i] = (s[k][i] - mean) * rstd * weight[i] + bias[i];
    }
    store_pack<kWhole>(n.y, row, channel, s[k]);
  }
  if (lane == 0) {
    n.statistics.row(row)[0] = mean;
    n.statistics.row(row)[1] = rstd;
  }
}

void residual_norm(const ResidualNormArgs& args, Exec& exec) {
  if (args.x.rows * args.x.cols == 0) {
    return;
  }
  with_forward_type(args.x.dtype, "residual_norm", [&](auto t) {
    using T = decltype(t);
    const Norm<T> norm{rows_of<T>(args.x),
                       args.r ? rows_of<T>(args.r) : Rows<T>{},
                       args.r ? rows_of<T>(args.s) : Rows<T>{},
                       rows_of<T>(args.y),
                       rows_of<float>(args.weight),
                       rows_of<float>(args.bias),
                       rows_of<float>(args.statistics),
                       args.x.rows,
                       args.epsilon,
                       args.row_keys,
                       args.dropout};
    const bool aligned = whole_packs(norm.x, norm.r, norm.s, norm.y, norm.weight, norm.bias);
    with_chunks<T>(args.x.cols, aligned, "residual_norm", [&](auto chunks, auto whole) {
      residual_norm_kernel<T, decltype(chunks)::value, decltype(whole)::value>
          <<<blocks_for(args.x.rows, kWarps), kThreads, 0, stream_of(exec)>>>(norm);
    });
  });
  check_launch("residual_norm");
}

const Registration registration([](Kernels& table) { table.residual_norm = residual_norm; });

}  // namespace
}  // namespace yona::cuda
