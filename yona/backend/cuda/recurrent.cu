// One time step of recurrent units and its gradients: a warp takes a chunk of a row, a lane a pack
// of channels with all their gates. The products are cuBLASLt's.

#include "yona/backend/cuda/common/pack.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

using Channels = float[kPack];

__device__ inline float logistic(float x) { return 1.0F / (1.0F + expf(-x)); }
__device__ inline float logistic_slope(float y) { return y * (1.0F - y); }
__device__ inline float tanh_slope(float y) { return 1.0F - y * y; }

// Rows of d channels, and rows of several times d, of which a gate is a part.
template <class T>
struct StepRows {
  Rows<T> input, hidden, h_before, h;
  Rows<float> c_before, kept;
  std::int64_t rows;
};

// The part of gate k, as a matrix of its own.
template <class T>
__device__ inline Rows<T> gate_of(const Rows<T>& all, int k, std::int64_t d) {
  Rows<T> gate = all;
  gate.data += k * d;
  gate.cols = d;
  gate.vector = all.vector && d % kPack == 0;
  return gate;
}

template <class T>
__device__ void load_sum(const StepRows<T>& s, int k, const Place& at, Channels& v) {
  Channels u;
  gate_of(s.input, k, s.h.cols).load(at.row, at.channel, v);
  gate_of(s.hidden, k, s.h.cols).load(at.row, at.channel, u);
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    v[i] += u[i];
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads) lstm_kernel(StepRows<T> s) {
  const Place at = place_of_warp(s.rows, s.h.cols);
  if (!at.there) {
    return;
  }
  Channels in, forget, g, out, c = {}, h;
  load_sum(s, 0, at, in);
  load_sum(s, 1, at, forget);
  load_sum(s, 2, at, g);
  load_sum(s, 3, at, out);
  if (s.c_before.there()) {
    s.c_before.load(at.row, at.channel, c);
  }
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    in[i] = logistic(in[i]);
    forget[i] = logistic(forget[i]);
    g[i] = tanhf(g[i]);
    out[i] = logistic(out[i]);
    c[i] = forget[i] * c[i] + in[i] * g[i];
    h[i] = out[i] * tanhf(c[i]);
  }
  gate_of(s.input, 0, s.h.cols).store(at.row, at.channel, in);
  gate_of(s.input, 1, s.h.cols).store(at.row, at.channel, forget);
  gate_of(s.input, 2, s.h.cols).store(at.row, at.channel, g);
  gate_of(s.input, 3, s.h.cols).store(at.row, at.channel, out);
  s.kept.store(at.row, at.channel, c);
  s.h.store(at.row, at.channel, h);
}

template <class T>
__global__ void __launch_bounds__(kThreads) gru_kernel(StepRows<T> s) {
  const Place at = place_of_warp(s.rows, s.h.cols);
  if (!at.there) {
    return;
  }
  Channels r, z, m, u, h;
  load_sum(s, 0, at, r);
  load_sum(s, 1, at, z);
  gate_of(s.input, 2, s.h.cols).load(at.row, at.channel, m);
  gate_of(s.hidden, 2, s.h.cols).load(at.row, at.channel, u);
  s.h_before.load(at.row, at.channel, h);
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    r[i] = logistic(r[i]);
    z[i] = logistic(z[i]);
    m[i] = tanhf(m[i] + r[i] * u[i]);
    h[i] = m[i] + z[i] * (h[i] - m[i]);
  }
  gate_of(s.input, 0, s.h.cols).store(at.row, at.channel, r);
  gate_of(s.input, 1, s.h.cols).store(at.row, at.channel, z);
  gate_of(s.input, 2, s.h.cols).store(at.row, at.channel, m);
  s.kept.store(at.row, at.channel, u);
  s.h.store(at.row, at.channel, h);
}

template <class T>
__global__ void __launch_bounds__(kThreads) tanh_step_kernel(StepRows<T> s) {
  const Place at = place_of_warp(s.rows, s.h.cols);
  if (!at.there) {
    return;
  }
  Channels h;
  load_sum(s, 0, at, h);
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    h[i] = tanhf(h[i]);
  }
  s.input.store(at.row, at.channel, h);
  s.h.store(at.row, at.channel, h);
}

template <class T>
struct StepGradients {
  StepRows<T> forward;
  Rows<T> dh, dinput, dhidden, dh_before;
  Rows<float> dc;
};

template <class T>
__global__ void __launch_bounds__(kThreads) lstm_backward_kernel(StepGradients<T> s) {
  const StepRows<T>& f = s.forward;
  const Place at = place_of_warp(f.rows, f.h.cols);
  if (!at.there) {
    return;
  }
  Channels in, forget, g, out, c, before = {}, dh, dc;
  gate_of(f.input, 0, f.h.cols).load(at.row, at.channel, in);
  gate_of(f.input, 1, f.h.cols).load(at.row, at.channel, forget);
  gate_of(f.input, 2, f.h.cols).load(at.row, at.channel, g);
  gate_of(f.input, 3, f.h.cols).load(at.row, at.channel, out);
  f.kept.load(at.row, at.channel, c);
  if (f.c_before.there()) {
    f.c_before.load(at.row, at.channel, before);
  }
  s.dh.load(at.row, at.channel, dh);
  s.dc.load(at.row, at.channel, dc);
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    const float t = tanhf(c[i]);
    const float total = dc[i] + dh[i] * out[i] * tanh_slope(t);
    dc[i] = total * forget[i];
    const float input = in[i];
    in[i] = total * g[i] * logistic_slope(input);
    forget[i] = total * before[i] * logistic_slope(forget[i]);
    g[i] = total * input * tanh_slope(g[i]);
    out[i] = dh[i] * t * logistic_slope(out[i]);
  }
  gate_of(s.dinput, 0, f.h.cols).store(at.row, at.channel, in);
  gate_of(s.dinput, 1, f.h.cols).store(at.row, at.channel, forget);
  gate_of(s.dinput, 2, f.h.cols).store(at.row, at.channel, g);
  gate_of(s.dinput, 3, f.h.cols).store(at.row, at.channel, out);
  s.dc.store(at.row, at.channel, dc);
}

template <class T>
__global__ void __launch_bounds__(kThreads) gru_backward_kernel(StepGradients<T> s) {
  const StepRows<T>& f = s.forward;
  const Place at = place_of_warp(f.rows, f.h.cols);
  if (!at.there) {
    return;
  }
  Channels r, z, m, u, before, dh, past, dn_hidden;
  gate_of(f.input, 0, f.h.cols).load(at.row, at.channel, r);
  gate_of(f.input, 1, f.h.cols).load(at.row, at.channel, z);
  gate_of(f.input, 2, f.h.cols).load(at.row, at.channel, m);
  f.kept.load(at.row, at.channel, u);
  f.h_before.load(at.row, at.channel, before);
  s.dh.load(at.row, at.channel, dh);
  s.dh_before.load(at.row, at.channel, past);
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    const float dn = dh[i] * (1.0F - z[i]) * tanh_slope(m[i]);
    past[i] += z[i] * dh[i];
    z[i] = dh[i] * (before[i] - m[i]) * logistic_slope(z[i]);
    m[i] = dn;
    dn_hidden[i] = dn * r[i];
    r[i] = dn * u[i] * logistic_slope(r[i]);
  }
  gate_of(s.dinput, 0, f.h.cols).store(at.row, at.channel, r);
  gate_of(s.dinput, 1, f.h.cols).store(at.row, at.channel, z);
  gate_of(s.dinput, 2, f.h.cols).store(at.row, at.channel, m);
  gate_of(s.dhidden, 0, f.h.cols).store(at.row, at.channel, r);
  gate_of(s.dhidden, 1, f.h.cols).store(at.row, at.channel, z);
  gate_of(s.dhidden, 2, f.h.cols).store(at.row, at.channel, dn_hidden);
  s.dh_before.store(at.row, at.channel, past);
}

template <class T>
__global__ void __launch_bounds__(kThreads) tanh_step_backward_kernel(StepGradients<T> s) {
  const Place at = place_of_warp(s.forward.rows, s.forward.h.cols);
  if (!at.there) {
    return;
  }
  Channels h, dh;
  s.forward.input.load(at.row, at.channel, h);
  s.dh.load(at.row, at.channel, dh);
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    dh[i] *= tanh_slope(h[i]);
  }
  s.dinput.store(at.row, at.channel, dh);
}

template <class T>
StepRows<T> step_rows(const RecurrentStepArgs& args) {
  return {rows_of<T>(args.input),
          rows_of<T>(args.hidden),
          rows_of<T>(args.h_before),
          rows_of<T>(args.h),
          rows_of<float>(args.c_before),
          rows_of<float>(args.kept),
          args.h.rows};
}

void recurrent_step(const RecurrentStepArgs& args, Exec& exec) {
  if (args.h.rows * args.h.cols == 0) {
    return;
  }
  with_forward_type(args.h.dtype, "recurrent_step", [&](auto t) {
    using T = decltype(t);
    const StepRows<T> rows = step_rows<T>(args);
    const auto kernel = args.cell == Cell::lstm  ? lstm_kernel<T>
                        : args.cell == Cell::gru ? gru_kernel<T>
                                                 : tanh_step_kernel<T>;
    kernel<<<blocks_of_packs(args.h), kThreads, 0, stream_of(exec)>>>(rows);
  });
  check_launch("recurrent_step");
}

void recurrent_step_backward(const RecurrentStepBackwardArgs& args, Exec& exec) {
  if (args.dh.rows * args.dh.cols == 0) {
    return;
  }
  with_type(args.dh.dtype, "recurrent_step_backward", [&](auto t) {
    using T = decltype(t);
    const StepGradients<T> rows{step_rows<T>(args.forward), rows_of<T>(args.dh),
                                rows_of<T>(args.dinput),    rows_of<T>(args.dhidden),
                                rows_of<T>(args.dh_before), rows_of<float>(args.dc)};
    const auto kernel = args.forward.cell == Cell::lstm  ? lstm_backward_kernel<T>
                        : args.forward.cell == Cell::gru ? gru_backward_kernel<T>
                                                         : tanh_step_backward_kernel<T>;
    kernel<<<blocks_of_packs(args.dh), kThreads, 0, stream_of(exec)>>>(rows);
  });
  check_launch("recurrent_step_backward");
}

const Registration registration([](Kernels& table) {
  table.recurrent_step = recurrent_step;
  table.recurrent_step_backward = recurrent_step_backward;
});

}  // namespace
}  // namespace yona::cuda
