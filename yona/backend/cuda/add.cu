// Sums, scaling, constants and rounding. add() also converts: its operands may differ in type from
// the result.

#include "yona/backend/cuda/common/pack.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

template <class A, class B, class Y>
struct Sum {
  Rows<A> a;
  Rows<B> b;
  Rows<Y> y;
  std::int64_t rows = 0;
  float alpha = 1.0F, beta = 1.0F;
};

template <class A, class B, class Y>
__global__ void __launch_bounds__(kThreads) add_kernel(Sum<A, B, Y> sum) {
  const Place at = place_of_warp(sum.rows, sum.y.cols);
  if (!at.there) {
    return;
  }
  float v[kPack];
  sum.a.load(at.row, at.channel, v);
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    v[i] *= sum.alpha;
  }
  if (sum.b.there()) {
    float w[kPack];
    sum.b.load(at.row, at.channel, w);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      v[i] += sum.beta * w[i];
    }
  }
  sum.y.store(at.row, at.channel, v);
}

template <class T>
__global__ void __launch_bounds__(kThreads) fill_kernel(Rows<T> y, std::int64_t rows, float value) {
  const Place at = place_of_warp(rows, y.cols);
  if (at.there) {
    const float v[kPack] = {value, value, value, value, value, value, value, value};
    y.store(at.row, at.channel, v);
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    round_kernel(Rows<float> x, Rows<T> y, std::int64_t x_rows, std::int64_t rows) {
  const Place at = place_of_warp(rows, y.cols);
  if (at.there) {
    float v[kPack] = {};
    if (at.row < x_rows) {
      x.load(at.row, at.channel, v);
    }
    y.store(at.row, at.channel, v);
  }
}

// log(e^a + e^b) + shift, without overflow; -infinity is the neutral element.
__global__ void __launch_bounds__(kThreads)
    log_add_kernel(Rows<float> a, Rows<float> b, Rows<float> y, std::int64_t rows, float shift) {
  const Place at = place_of_warp(rows, y.cols);
  if (!at.there) {
    return;
  }
  float v[kPack];
  float w[kPack];
  a.load(at.row, at.channel, v);
  b.load(at.row, at.channel, w);
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    const float largest = fmaxf(v[i], w[i]);
    const float smallest = fminf(v[i], w[i]);
    v[i] =
        largest == -INFINITY ? shift + largest : largest + log1pf(expf(smallest - largest)) + shift;
  }
  y.store(at.row, at.channel, v);
}

bool flat(const View& view) { return !view || view.stride == view.cols || view.rows <= 1; }

void add(const AddArgs& args, Exec& exec) {
  View a = args.a;
  View b = args.b;
  View y = args.y;
  if (flat(a) && flat(b) && flat(y)) {
    a = flattened(a);
    b = flattened(b);
    y = flattened(y);
  }
  if (y.rows * y.cols == 0) {
    return;
  }
  const auto launch = [&](auto ta, auto tb, auto ty) {
    using A = decltype(ta);
    using B = decltype(tb);
    using Y = decltype(ty);
    const Sum<A, B, Y> sum{
        rows_of<A>(a), b ? rows_of<B>(b) : Rows<B>{}, rows_of<Y>(y), y.rows, args.alpha, args.beta};
    add_kernel<<<blocks_of_packs(y), kThreads, 0, stream_of(exec)>>>(sum);
  };
  if (b && b.dtype != a.dtype) {
    check<NotImplemented>(a.dtype == DType::f32 && b.dtype == DType::bf16 && y.dtype == DType::f32,
                          "add: there is no kernel for {} and {} in the cuda backend", a.dtype,
                          b.dtype);
    launch(float{}, bf16{}, float{});
  } else {
    with_forward_type(a.dtype, "add", [&](auto ta) {
      with_forward_type(y.dtype, "add", [&](auto ty) { launch(ta, ta, ty); });
    });
  }
  check_launch("add");
}

void fill(const FillArgs& args, Exec& exec) {
  const View y = flattened(args.y);
  if (y.rows * y.cols == 0) {
    return;
  }
  if (args.value == 0.0F && y.rows == 1) {  // zero is all bits zero in every type
    const std::size_t bytes = static_cast<std::size_t>(y.cols) * size_of(y.dtype);
    check_cuda(cudaMemsetAsync(y.data, 0, bytes, stream_of(exec)), "fill");
    return;
  }
  with_type(y.dtype, "fill", [&](auto t) {
    using T = decltype(t);
    fill_kernel<<<blocks_of_packs(y), kThreads, 0, stream_of(exec)>>>(rows_of<T>(y), y.rows,
                                                                      args.value);
  });
  check_launch("fill");
}

void round_bf16(const RoundArgs& args, Exec& exec) {
  if (args.y.rows * args.y.cols == 0) {
    return;
  }
  with_forward_type(args.y.dtype, "round_bf16", [&](auto t) {
    round_kernel<<<blocks_of_packs(args.y), kThreads, 0, stream_of(exec)>>>(
        rows_of<float>(args.x), rows_of<decltype(t)>(args.y), args.x.rows, args.y.rows);
  });
  check_launch("round_bf16");
}

void log_add(const LogAddArgs& args, Exec& exec) {
  if (args.y.rows * args.y.cols == 0) {
    return;
  }
  check<NotImplemented>(args.y.dtype == DType::f32,
                        "log_add: there is no kernel for {} in the cuda backend", args.y.dtype);
  log_add_kernel<<<blocks_of_packs(args.y), kThreads, 0, stream_of(exec)>>>(
      rows_of<float>(args.a), rows_of<float>(args.b), rows_of<float>(args.y), args.y.rows,
      args.shift);
  check_launch("log_add");
}

const Registration registration([](Kernels& table) {
  table.add = add;
  table.round_bf16 = round_bf16;
  table.log_add = log_add;
  table.fill = fill;
});

}  // namespace
}  // namespace yona::cuda
