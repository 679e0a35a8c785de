// Gradients of s = x + dropout(r) and of its layer normalisation. A row goes through two loops
// while it is in the first-level cache: one for the two means, and for the sums over rows that the
// weights' gradients are; one for the result. Dropout's decisions are made again. What is added to
// a gradient is rounded once, be it the gradient of s or that of x: the norm of a sum that was
// formed before has the same bits.

#include "yona/backend/cpu/column_sums.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/residual_norm_backward.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// A row's x̂ = (s - mean) · rstd.
struct Normal {
  const float* s;
  V mean, rstd;

  template <class Which>
  HWY_INLINE V at(std::int64_t j, Which part) const {
    const D d;
    return hn::Mul(hn::Sub(load(d, s + j, part), mean), rstd);
  }
};

struct Means {
  V g, gx;
};

// mean(g) and mean(g ∘ x̂) for g = dy ∘ weight; sums[0] += dy ∘ x̂, sums[1] += dy where asked for.
template <bool kSums>
HWY_INLINE Means row_means(const Normal& normal, const float* dy, const float* weight,
                           std::int64_t n, float* sums) {
  const D d;
  V sum_g = hn::Zero(d);
  V sum_gx = hn::Zero(d);
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V x = normal.at(j, part);
    const V dy_j = load(d, dy + j, part);  // zero beyond the end, and so are the products
    const V g = hn::Mul(dy_j, load(d, weight + j, part));
    sum_g = hn::Add(sum_g, g);
    sum_gx = hn::MulAdd(g, x, sum_gx);
    if (kSums) {
      store(d, hn::MulAdd(dy_j, x, load(d, sums + j, part)), sums + j, part);
      store(d, hn::Add(dy_j, load(d, sums + n + j, part)), sums + n + j, part);
    }
  });
  const float scale = 1.0F / static_cast<float>(n);
  return {hn::Set(d, sum_of_lanes(d, sum_g) * scale), hn::Set(d, sum_of_lanes(d, sum_gx) * scale)};
}

void residual_norm_backward_row(const ResidualNormBackwardArgs& args, std::int64_t i, float* sums) {
  const D d;
  const ResidualNormArgs& forward = args.forward;
  const std::int64_t n = args.dy.cols;
  const float* statistics = forward.statistics.row<float>(i);
  const Normal normal = {forward.r ? forward.s.row<float>(i) : forward.x.row<float>(i),
                         hn::Set(d, statistics[0]), hn::Set(d, statistics[1])};
  const float* dy = args.dy.row<float>(i);
  const float* weight = forward.weight.row<float>(0);
  const Means mean = sums != nullptr ? row_means<true>(normal, dy, weight, n, sums)
                                     : row_means<false>(normal, dy, weight, n, sums);
  const float* ds = args.ds ? args.ds.row<float>(i) : nullptr;
  float* dx = args.dx ? args.dx.row<float>(i) : nullptr;
  float* dr = args.dr ? args.dr.row<float>(i) : nullptr;
  const Dropout dropout = dr != nullptr ? forward.dropout : Dropout{};
  for_each_dropped(d, n, dropout, forward.row_keys, i,
                   [&](std::int64_t j, auto part, auto drop) YONA_INLINE_LAMBDA {
                     const V g = hn::Mul(load(d, dy + j, part), load(d, weight + j, part));
                     const V inner = hn::NegMulAdd(normal.at(j, part), mean.gx, hn::Sub(g, mean.g));
                     const V total = ds != nullptr
                                         ? hn::MulAdd(normal.rstd, inner, load(d, ds + j, part))
                                         : hn::Mul(normal.rstd, inner);
                     if (dx != nullptr && ds == nullptr && args.accumulate_dx) {
                       const V sum = hn::MulAdd(normal.rstd, inner, load(d, dx + j, part));
                       store(d, sum, dx + j, part);
                     } else if (dx != nullptr) {
                       store_or_add(d, total, dx + j, args.accumulate_dx, part);
                     }
                     if (dr != nullptr) {
                       store_or_add(d, drop(total), dr + j, args.accumulate_dr, part);
                     }
                   });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(residual_norm_backward_row);

namespace {

void residual_norm_backward(const ResidualNormBackwardArgs& args, Exec& exec) {
  if (args.dy.dtype != DType::f32) {
    reference_kernels().residual_norm_backward.function()(args, exec);
    return;
  }
  if (!args.dweight && !args.dbias) {
    cpu::for_each_row(exec, args.dy.rows, args.dy.cols, [&](std::int64_t i) {
      HWY_DYNAMIC_DISPATCH(residual_norm_backward_row)(args, i, nullptr);
    });
    return;
  }
  const cpu::ColumnSums column_sums(args.dy.rows, args.dy.cols, 2);
  column_sums.for_each_row(exec, [&](std::int64_t i, float* sums) {
    HWY_DYNAMIC_DISPATCH(residual_norm_backward_row)(args, i, sums);
  });
  if (args.dweight) {
    column_sums.add_to(args.dweight.row<float>(0), 0);
  }
  if (args.dbias) {
    column_sums.add_to(args.dbias.row<float>(0), 1);
  }
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.residual_norm_backward = residual_norm_backward;
});

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
