#include "yona/study/flop_counter.h"

#include <algorithm>

#include "yona/backend/host_backend.h"
#include "yona/backend/registration.h"
#include "yona/nn/parameters.h"
#include "yona/train/learner.h"

namespace yona {

namespace {

thread_local double counted_flops = 0;

// 2 m n k
double flops_of(const MatmulArgs& args) {
  const std::int64_t k = args.transpose_a ? args.a.rows : args.a.cols;
  return 2.0 * static_cast<double>(args.c.rows) * static_cast<double>(args.c.cols) *
         static_cast<double>(k);
}

double flops_of(const ReluGradientProductArgs& args) { return flops_of(args.product()); }
double flops_of(const GeluGradientProductArgs& args) { return flops_of(args.product()); }
double flops_of(const WeightGradientsArgs& args) {
  double flops = 0;
  for (const WeightGradient& product : args.products) {
    flops += flops_of(product.product(args.precision));
  }
  return flops;
}

// Pairs of a query and a key that it sees, over all heads.
double seen_pairs(const AttentionArgs& args) {
  std::int64_t pairs = 0;
  for (std::int64_t s = 0; s < args.sentences; ++s) {
    const std::int64_t queries = args.q_offsets[s + 1] - args.q_offsets[s];
    const std::int64_t keys = args.k_offsets[s + 1] - args.k_offsets[s];
    for (std::int64_t i = 0; i < queries; ++i) {
      pairs += args.mask == Mask::causal ? std::clamp<std::int64_t>(i + 1 + keys - queries, 0, keys)
                                         : keys;
    }
  }
  return static_cast<double>(pairs * args.heads);
}

// q kᵀ and the product with v
double flops_of(const AttentionArgs& args) {
  return 2.0 * seen_pairs(args) * static_cast<double>(args.d_k + args.d_v);
}
// The scores once more, and dq, dk, dv and the weights' gradients.
double flops_of(const AttentionBackwardArgs& args) {
  return 2.0 * seen_pairs(args.forward) *
         static_cast<double>(3 * args.forward.d_k + 2 * args.forward.d_v);
}
// A score is a sum, a tanh, counted as one, and a product and an addition for each channel.
double flops_of(const AdditiveAttentionArgs& args) {
  const AttentionArgs& a = args.attention;
  return seen_pairs(a) * static_cast<double>(4 * a.d_k + 2 * a.d_v);
}
// The scores once more; the slope of tanh, dq, dk and the vector's gradient; dv and the weights'.
double flops_of(const AdditiveAttentionBackwardArgs& args) {
  const AttentionArgs& a = args.attention.forward;
  return seen_pairs(a) * static_cast<double>((4 + 6) * a.d_k + 4 * a.d_v);
}

template <class Args, Kernel<Args> Kernels::*kKernel>
void counted(const Args& args, Exec& exec) {
  counted_flops += flops_of(args);
  (cpu_kernels().*kKernel).function()(args, exec);
}

template <class Args, Kernel<Args> Kernels::*kKernel>
void count_calls(Kernels& table) {
  Kernel<Args>& kernel = table.*kKernel;
  if (kernel.function() == nullptr) {
    return;
  }
  const GradientSums sums = kernel.gradient_sums;
  const Fused fused = kernel.fused;
  kernel = counted<Args, kKernel>;
  kernel.gradient_sums = sums;
  kernel.fused = fused;
}

Kernels counting_table() {
  Kernels table = cpu_kernels();
  count_calls<MatmulArgs, &Kernels::matmul>(table);
  count_calls<ReluGradientProductArgs, &Kernels::relu_gradient_product>(table);
  count_calls<GeluGradientProductArgs, &Kernels::gelu_gradient_product>(table);
  count_calls<WeightGradientsArgs, &Kernels::weight_gradients>(table);
  count_calls<AttentionArgs, &Kernels::attention>(table);
  count_calls<AttentionBackwardArgs, &Kernels::attention_backward>(table);
  count_calls<AdditiveAttentionArgs, &Kernels::additive_attention>(table);
  count_calls<AdditiveAttentionBackwardArgs, &Kernels::additive_attention_backward>(table);
  return table;
}

const Kernels& counting_kernels() {
  static const Kernels table = counting_table();
  return table;
}

}  // namespace

FlopCounter::FlopCounter(int threads)
    : backend_(std::make_unique<HostBackend>("cpu", counting_kernels(),
                                             BackendOptions{.threads = threads})) {
  counted_flops = 0;
}

double FlopCounter::flops() const { return counted_flops; }

double training_flops(Objective& objective, const Batch& batch) {
  FlopCounter counter;
  Parameters parameters(objective.model(), counter.backend(), Gradients::yes);
  parameters.initialise(1);
  parameters.zero_gradients();
  Learner learner(objective, parameters, counter.backend());
  learner.accumulate(batch, {}, objective.weight(batch)).read();
  return counter.flops();
}

}  // namespace yona
