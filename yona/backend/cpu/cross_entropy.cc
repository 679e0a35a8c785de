// Label-smoothed cross-entropy of rows of logits, its gradient in place, and R-Drop.
//
// With q = (1-ε)·onehot(t) + ε/V and Z = Σ e^z:  -Σ q log p = log Z - (1-ε) z_t - ε/V Σ z.
// A row is walked three times while it is in the cache: for the largest logit and Σ z; for e^z,
// written in place, and its sum; for the gradient.

#include <cmath>
#include <limits>

#include "yona/backend/cpu/each_row.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/cross_entropy.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

struct Extent {
  float largest, sum;
};

// The largest logit and Σ z.
HWY_INLINE Extent extent_of(const float* z, std::int64_t n) {
  const D d;
  const V lowest = hn::Set(d, -std::numeric_limits<float>::infinity());
  V largest[4] = {lowest, lowest, lowest, lowest};
  V sum[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  for_each_of_four(d, n, [&](std::int64_t j, auto part, int k) YONA_INLINE_LAMBDA {
    const V value = load(d, z + j, part);
    largest[k] = hn::Max(largest[k], or_else(d, value, lowest, part));
    sum[k] = hn::Add(sum[k], value);
  });
  const V most = hn::Max(hn::Max(largest[0], largest[1]), hn::Max(largest[2], largest[3]));
  return {max_of_lanes(d, most), sum_of_lanes(d, sum)};
}

// Σ e^(z - largest); with kStore, z ← e^(z - largest).
template <bool kStore>
HWY_INLINE float exponentials(float* z, std::int64_t n, float largest) {
  const D d;
  const V shift = hn::Set(d, largest);
  V sum[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  for_each_of_four(d, n, [&](std::int64_t j, auto part, int k) YONA_INLINE_LAMBDA {
    const V e = fast_exp(d, hn::Sub(load(d, z + j, part), shift));
    sum[k] = hn::Add(sum[k], or_else(d, e, hn::Zero(d), part));
    if (kStore) {
      store(d, e, z + j, part);
    }
  });
  return sum_of_lanes(d, sum);
}

// Writes the row's loss and negative log-likelihood from the logit of its target, log Z and Σ z.
HWY_INLINE void write_losses(const CrossEntropyArgs& args, std::int64_t i, float target_logit,
                             double log_z, float sum) {
  const double smoothing = static_cast<double>(args.smoothing);
  const double nll = log_z - static_cast<double>(target_logit);
  const double mean = static_cast<double>(sum) / static_cast<double>(args.logits.cols);
  float* losses = args.losses.row<float>(i);
  losses[0] = static_cast<float>((1.0 - smoothing) * nll + smoothing * (log_z - mean));
  losses[1] = static_cast<float>(nll);
}

void cross_entropy_row(const CrossEntropyArgs& args, std::int64_t i) {
  const D d;
  const std::int64_t n = args.logits.cols;
  float* z = args.logits.row<float>(i);
  float* target = z + args.targets[i];
  const float target_logit = *target;
  const Extent extent = extent_of(z, n);
  const float total = args.gradient ? exponentials<true>(z, n, extent.largest)
                                    : exponentials<false>(z, n, extent.largest);
  const double log_z = static_cast<double>(extent.largest) + std::log(static_cast<double>(total));
  write_losses(args, i, target_logit, log_z, extent.sum);
  if (!args.gradient) {
    return;
  }
  const float scale = args.row_scale[i];
  const V share = hn::Set(d, scale / total);
  const V smooth = hn::Set(d, scale * args.smoothing / static_cast<float>(n));
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    store(d, hn::MulSub(load(d, z + j, part), share, smooth), z + j, part);
  });
  *target -= scale * (1.0F - args.smoothing);
}

// What R-Drop sums over a row of both passes, with u = z - z' and e, e' the exponentials.
struct PairSums {
  float e1, e2, e1u, e2u;
};

HWY_INLINE PairSums pair_sums(const float* z1, const float* z2, std::int64_t n, float largest1,
                              float largest2) {
  const D d;
  const V shift1 = hn::Set(d, largest1);
  const V shift2 = hn::Set(d, largest2);
  V sum1 = hn::Zero(d);
  V sum2 = hn::Zero(d);
  V sum1u = hn::Zero(d);
  V sum2u = hn::Zero(d);
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V a = load(d, z1 + j, part);
    const V b = load(d, z2 + j, part);
    const V u = hn::Sub(a, b);
    const V e1 = or_else(d, fast_exp(d, hn::Sub(a, shift1)), hn::Zero(d), part);
    const V e2 = or_else(d, fast_exp(d, hn::Sub(b, shift2)), hn::Zero(d), part);
    sum1 = hn::Add(sum1, e1);
    sum2 = hn::Add(sum2, e2);
    sum1u = hn::MulAdd(e1, u, sum1u);
    sum2u = hn::MulAdd(e2, u, sum2u);
  });
  return {sum_of_lanes(d, sum1), sum_of_lanes(d, sum2), sum_of_lanes(d, sum1u),
          sum_of_lanes(d, sum2u)};
}

// log p - log p' = u - (log Z - log Z') =: u - δ, so KL(p‖p') = Σ p u - δ and KL(p'‖p) = δ - Σ p'
// u. The gradients are those of the reference, with a = u - δ:
//   dz  = p - q + ½ α [p (a - KL(p‖p')) + p - p'],   dz' = p' - q + ½ α [p' (-a - KL(p'‖p)) + p' -
//   p]
void rdrop_row(const RDropArgs& args, std::int64_t i) {
  const D d;
  const std::int64_t n = args.first.logits.cols;
  float* z1 = args.first.logits.row<float>(i);
  float* z2 = args.second.logits.row<float>(i);
  const std::int32_t target1 = args.first.targets[i];
  const std::int32_t target2 = args.second.targets[i];
  const Extent extent1 = extent_of(z1, n);
  const Extent extent2 = extent_of(z2, n);
  const PairSums sums = pair_sums(z1, z2, n, extent1.largest, extent2.largest);
  const double log_z1 =
      static_cast<double>(extent1.largest) + std::log(static_cast<double>(sums.e1));
  const double log_z2 =
      static_cast<double>(extent2.largest) + std::log(static_cast<double>(sums.e2));
  const auto delta = static_cast<float>(log_z1 - log_z2);
  const float kl1 = sums.e1u / sums.e1 - delta;
  const float kl2 = delta - sums.e2u / sums.e2;
  write_losses(args.first, i, z1[target1], log_z1, extent1.sum);
  write_losses(args.second, i, z2[target2], log_z2, extent2.sum);
  args.first.losses.row<float>(i)[0] += args.alpha * 0.5F * (kl1 + kl2);
  if (!args.first.gradient) {
    return;
  }
  const float scale1 = args.first.row_scale[i];
  const float scale2 = args.second.row_scale[i];
  const V half_alpha = hn::Set(d, 0.5F * args.alpha);
  const V smooth1 = hn::Set(d, args.first.smoothing / static_cast<float>(n));
  const V smooth2 = hn::Set(d, args.second.smoothing / static_cast<float>(n));
  for_each_vector(d, n, [&](std::int64_t j, auto part) YONA_INLINE_LAMBDA {
    const V a = load(d, z1 + j, part);
    const V b = load(d, z2 + j, part);
    const V u = hn::Sub(hn::Sub(a, b), hn::Set(d, delta));
    const V p1 =
        hn::Mul(fast_exp(d, hn::Sub(a, hn::Set(d, extent1.largest))), hn::Set(d, 1.0F / sums.e1));
    const V p2 =
        hn::Mul(fast_exp(d, hn::Sub(b, hn::Set(d, extent2.largest))), hn::Set(d, 1.0F / sums.e2));
    const V apart = hn::Sub(p1, p2);
    const V pull1 = hn::MulAdd(p1, hn::Sub(u, hn::Set(d, kl1)), apart);
    const V pull2 = hn::Neg(hn::MulAdd(p2, hn::Add(u, hn::Set(d, kl2)), apart));
    const V dz1 = hn::MulAdd(half_alpha, pull1, hn::Sub(p1, smooth1));
    const V dz2 = hn::MulAdd(half_alpha, pull2, hn::Sub(p2, smooth2));
    store(d, hn::Mul(dz1, hn::Set(d, scale1)), z1 + j, part);
    store(d, hn::Mul(dz2, hn::Set(d, scale2)), z2 + j, part);
  });
  z1[target1] -= scale1 * (1.0F - args.first.smoothing);
  z2[target2] -= scale2 * (1.0F - args.second.smoothing);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(cross_entropy_row);
HWY_EXPORT(rdrop_row);

namespace {

void cross_entropy(const CrossEntropyArgs& args, Exec& exec) {
  cpu::each_row(args, args.logits, reference_kernels().cross_entropy,
                HWY_DYNAMIC_DISPATCH(cross_entropy_row), exec);
}

void rdrop(const RDropArgs& args, Exec& exec) {
  cpu::each_row(args, args.first.logits, reference_kernels().rdrop, HWY_DYNAMIC_DISPATCH(rdrop_row),
                exec);
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.cross_entropy = cross_entropy;
  table.rdrop = rdrop;
});

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
