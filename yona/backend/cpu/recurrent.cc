// One time step of recurrent units and its gradients: a pass over the rows, a vector of channels at
// a time.

#include "yona/backend/cpu/slices.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/recurrent.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/sigmoid-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

HWY_INLINE V one() { return hn::Set(D(), 1.0F); }
// y (1 - y) and 1 - y², the slopes of σ and tanh by their values.
HWY_INLINE V sigmoid_slope(V y) { return hn::NegMulAdd(y, y, y); }
HWY_INLINE V tanh_slope(V y) { return hn::NegMulAdd(y, y, one()); }

void lstm_row(const RecurrentStepArgs& args, std::int64_t i) {
  const D d;
  const std::int64_t n = args.h.cols;
  float* a = args.input.row<float>(i);
  const float* u = args.hidden.row<float>(i);
  const float* before = args.c_before ? args.c_before.row<float>(i) : nullptr;
  float* h = args.h.row<float>(i);
  float* kept = args.kept.row<float>(i);
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const auto sum = [&](std::int64_t at) YONA_INLINE_LAMBDA {
      return hn::Add(load(d, a + at, part), load(d, u + at, part));
    };
    const V in = sigmoid_of(d, sum(j));
    const V forget = sigmoid_of(d, sum(n + j));
    const V g = tanh_of(d, sum(2 * n + j));
    const V out = sigmoid_of(d, sum(3 * n + j));
    V cell = hn::Mul(in, g);
    if (before != nullptr) {
      cell = hn::MulAdd(forget, load(d, before + j, part), cell);
    }
    store(d, in, a + j, part);
    store(d, forget, a + n + j, part);
    store(d, g, a + 2 * n + j, part);
    store(d, out, a + 3 * n + j, part);
    store(d, cell, kept + j, part);
    store(d, hn::Mul(out, tanh_of(d, cell)), h + j, part);
  });
}

void gru_row(const RecurrentStepArgs& args, std::int64_t i) {
  const D d;
  const std::int64_t n = args.h.cols;
  float* a = args.input.row<float>(i);
  const float* u = args.hidden.row<float>(i);
  const float* before = args.h_before.row<float>(i);
  float* h = args.h.row<float>(i);
  float* kept = args.kept.row<float>(i);
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V r = sigmoid_of(d, hn::Add(load(d, a + j, part), load(d, u + j, part)));
    const V z = sigmoid_of(d, hn::Add(load(d, a + n + j, part), load(d, u + n + j, part)));
    const V u_n = load(d, u + 2 * n + j, part);
    const V m = tanh_of(d, hn::MulAdd(r, u_n, load(d, a + 2 * n + j, part)));
    store(d, r, a + j, part);
    store(d, z, a + n + j, part);
    store(d, m, a + 2 * n + j, part);
    store(d, u_n, kept + j, part);
    // (1 - z) m + z h' = m + z (h' - m)
    store(d, hn::MulAdd(z, hn::Sub(load(d, before + j, part), m), m), h + j, part);
  });
}

void plain_row(const RecurrentStepArgs& args, std::int64_t i) {
  const D d;
  float* a = args.input.row<float>(i);
  const float* u = args.hidden.row<float>(i);
  float* h = args.h.row<float>(i);
  for_each_vector(d, args.h.cols, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V y = tanh_of(d, hn::Add(load(d, a + j, part), load(d, u + j, part)));
    store(d, y, a + j, part);
    store(d, y, h + j, part);
  });
}

void lstm_backward_row(const RecurrentStepBackwardArgs& args, std::int64_t i) {
  const D d;
  const RecurrentStepArgs& forward = args.forward;
  const std::int64_t n = args.dh.cols;
  const float* gates = forward.input.row<float>(i);
  const float* before = forward.c_before ? forward.c_before.row<float>(i) : nullptr;
  const float* kept = forward.kept.row<float>(i);
  const float* dh_row = args.dh.row<float>(i);
  float* carried = args.dc.row<float>(i);
  float* da = args.dinput.row<float>(i);
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V in = load(d, gates + j, part);
    const V forget = load(d, gates + n + j, part);
    const V g = load(d, gates + 2 * n + j, part);
    const V out = load(d, gates + 3 * n + j, part);
    const V t = tanh_of(d, load(d, kept + j, part));
    const V dh = load(d, dh_row + j, part);
    const V dc = hn::MulAdd(hn::Mul(dh, out), tanh_slope(t), load(d, carried + j, part));
    const V c_before = before != nullptr ? load(d, before + j, part) : hn::Zero(d);
    store(d, hn::Mul(hn::Mul(dc, g), sigmoid_slope(in)), da + j, part);
    store(d, hn::Mul(hn::Mul(dc, c_before), sigmoid_slope(forget)), da + n + j, part);
    store(d, hn::Mul(hn::Mul(dc, in), tanh_slope(g)), da + 2 * n + j, part);
    store(d, hn::Mul(hn::Mul(dh, t), sigmoid_slope(out)), da + 3 * n + j, part);
    store(d, hn::Mul(dc, forget), carried + j, part);
  });
}

void gru_backward_row(const RecurrentStepBackwardArgs& args, std::int64_t i) {
  const D d;
  const std::int64_t n = args.dh.cols;
  const float* gates = args.forward.input.row<float>(i);
  const float* before = args.forward.h_before.row<float>(i);
  const float* kept = args.forward.kept.row<float>(i);
  const float* dh_row = args.dh.row<float>(i);
  float* da = args.dinput.row<float>(i);
  float* du = args.dhidden.row<float>(i);
  float* dh_before = args.dh_before.row<float>(i);
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V r = load(d, gates + j, part);
    const V z = load(d, gates + n + j, part);
    const V m = load(d, gates + 2 * n + j, part);
    const V dh = load(d, dh_row + j, part);
    const V dn = hn::Mul(hn::Mul(dh, hn::Sub(one(), z)), tanh_slope(m));
    const V dr = hn::Mul(hn::Mul(dn, load(d, kept + j, part)), sigmoid_slope(r));
    const V dz = hn::Mul(hn::Mul(dh, hn::Sub(load(d, before + j, part), m)), sigmoid_slope(z));
    store(d, dr, da + j, part);
    store(d, dz, da + n + j, part);
    store(d, dn, da + 2 * n + j, part);
    store(d, dr, du + j, part);
    store(d, dz, du + n + j, part);
    store(d, hn::Mul(dn, r), du + 2 * n + j, part);
    store(d, hn::MulAdd(z, dh, load(d, dh_before + j, part)), dh_before + j, part);
  });
}

void plain_backward_row(const RecurrentStepBackwardArgs& args, std::int64_t i) {
  const D d;
  const float* y = args.forward.input.row<float>(i);
  const float* dh = args.dh.row<float>(i);
  float* da = args.dinput.row<float>(i);
  for_each_vector(d, args.dh.cols, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    store(d, hn::Mul(load(d, dh + j, part), tanh_slope(load(d, y + j, part))), da + j, part);
  });
}

void step_row(const RecurrentStepArgs& args, std::int64_t i) {
  if (args.cell == Cell::lstm) {
    lstm_row(args, i);
  } else if (args.cell == Cell::gru) {
    gru_row(args, i);
  } else {
    plain_row(args, i);
  }
}

void step_backward_row(const RecurrentStepBackwardArgs& args, std::int64_t i) {
  if (args.forward.cell == Cell::lstm) {
    lstm_backward_row(args, i);
  } else if (args.forward.cell == Cell::gru) {
    gru_backward_row(args, i);
  } else {
    plain_backward_row(args, i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(step_row);
HWY_EXPORT(step_backward_row);

namespace {

void step_rows(const RecurrentStepArgs& args, Exec& exec) {
  if (args.h.dtype != DType::f32) {
    reference_kernels().recurrent_step.function()(args, exec);
    return;
  }
  cpu::for_each_row(exec, args.h.rows, args.input.cols, [&](std::int64_t i) {
    HWY_DYNAMIC_DISPATCH(step_row)(args, i);
  });
}

void step_backward_rows(const RecurrentStepBackwardArgs& args, Exec& exec) {
  if (args.dh.dtype != DType::f32) {
    reference_kernels().recurrent_step_backward.function()(args, exec);
    return;
  }
  cpu::for_each_row(exec, args.dh.rows, args.dinput.cols, [&](std::int64_t i) {
    HWY_DYNAMIC_DISPATCH(step_backward_row)(args, i);
  });
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.recurrent_step = step_rows;
  table.recurrent_step_backward = step_backward_rows;
});

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
