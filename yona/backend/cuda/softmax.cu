// Softmax and log-softmax of rows, a block to each row. A row that is -infinity throughout gives
// zeros (softmax).

#include "yona/backend/cuda/common/block.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

enum class Kind : bool { softmax, log_softmax };

template <class T, Kind kKind>
__global__ void __launch_bounds__(kThreads) forward_kernel(Rows<T> x, Rows<T> y) {
  const std::int64_t row = blockIdx.x;
  const float total = log_sum_of_row(x, row).log_sum;
  for (std::int64_t c = threadIdx.x * kPack; c < x.cols; c += kThreads * kPack) {
    float v[kPack];
    x.load(row, c, v);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      if (kKind == Kind::softmax) {
        v[i] = total == -INFINITY ? 0.0F : expf(v[i] - total);
      } else {
        v[i] -= total;
      }
    }
    y.store(row, c, v);
  }
}

// softmax: dx = y (dy - Σ y dy)     log-softmax: dx = dy - e^y Σ dy
template <class T, Kind kKind>
__global__ void __launch_bounds__(kThreads)
    backward_kernel(Rows<T> y, Rows<T> dy, Rows<T> dx, bool accumulate) {
  const std::int64_t row = blockIdx.x;
  float sum = 0.0F;
  for (std::int64_t c = threadIdx.x * kPack; c < y.cols; c += kThreads * kPack) {
    float v[kPack];
    float g[kPack];
    y.load(row, c, v);
    dy.load(row, c, g);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      sum += kKind == Kind::softmax ? v[i] * g[i] : g[i];
    }
  }
  sum = block_sum(sum);
  for (std::int64_t c = threadIdx.x * kPack; c < y.cols; c += kThreads * kPack) {
    float v[kPack];
    float g[kPack];
    y.load(row, c, v);
    dy.load(row, c, g);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      g[i] = kKind == Kind::softmax ? v[i] * (g[i] - sum) : g[i] - expf(v[i]) * sum;
    }
    dx.put(row, c, g, accumulate);
  }
}

template <Kind kKind>
void forward(const RowsArgs& args, Exec& exec) {
  if (args.x.rows * args.x.cols == 0) {
    return;
  }
  with_type(args.x.dtype, "softmax", [&](auto t) {
    using T = decltype(t);
    forward_kernel<T, kKind><<<static_cast<unsigned>(args.x.rows), kThreads, 0, stream_of(exec)>>>(
        rows_of<T>(args.x), rows_of<T>(args.y));
  });
  check_launch("softmax");
}

template <Kind kKind>
void backward(const RowsBackwardArgs& args, Exec& exec) {
  if (args.dy.rows * args.dy.cols == 0) {
    return;
  }
  with_type(args.dy.dtype, "softmax_backward", [&](auto t) {
    using T = decltype(t);
    backward_kernel<T, kKind>
        <<<static_cast<unsigned>(args.dy.rows), kThreads, 0, stream_of(exec)>>>(
            rows_of<T>(args.saved), rows_of<T>(args.dy), rows_of<T>(args.dx), args.accumulate);
  });
  check_launch("softmax_backward");
}

const Registration registration([](Kernels& table) {
  table.softmax = forward<Kind::softmax>;
  table.softmax_backward = backward<Kind::softmax>;
  table.log_softmax = forward<Kind::log_softmax>;
  table.log_softmax_backward = backward<Kind::log_softmax>;
});

}  // namespace
}  // namespace yona::cuda
