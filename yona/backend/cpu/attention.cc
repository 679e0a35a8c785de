// Scaled dot-product attention on the CPU, forward, and its weights on their own: see
// attention_forward-inl.h and attention_weights-inl.h.

#include "yona/backend/cpu/attention_phases.h"
#include "yona/backend/cpu/attention_tile.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/attention.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/attention_forward-inl.h"
#include "yona/backend/cpu/attention_scores-inl.h"
#include "yona/backend/cpu/attention_weights-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona::cpu::HWY_NAMESPACE {

void attend(const AttentionArgs& args, const AttentionUnit& unit) {
  static thread_local DotScores scores;
  static thread_local ForwardScratch scratch;
  attend_unit(args, unit, scores, scratch);
}

void weigh(const AttentionArgs& args, const AttentionUnit& unit, float* weights) {
  static thread_local DotScores scores;
  static thread_local Scratch<float> scratch;
  weigh_unit(args, unit, scores, scratch, weights);
}

}  // namespace yona::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace yona::cpu {

namespace {

HWY_EXPORT(attend);
HWY_EXPORT(weigh);

void attention(const AttentionArgs& args, Exec& exec) {
  if (args.q.dtype != DType::f32) {
    reference_kernels().attention.function()(args, exec);
    return;
  }
  if (args.pattern.dilation > 1) {
    for_each_phase({.forward = args},
                   [&](const AttentionBackwardArgs& phase) { attention(phase.forward, exec); });
    return;
  }
  const std::vector<AttentionUnit>& units = attention_units(args, kTileQueries);
  const auto attend_one = HWY_DYNAMIC_DISPATCH(attend);
  exec.pool->run(static_cast<std::int64_t>(units.size()), [&](std::int64_t index) {
    attend_one(args, units[static_cast<std::size_t>(index)]);
  });
}

void attention_weights(const AttentionWeightsArgs& args, Exec& exec) {
  if (args.attention.q.dtype != DType::f32 || args.attention.pattern) {
    reference_kernels().attention_weights.function()(args, exec);
    return;
  }
  const std::vector<AttentionUnit>& units = attention_units(args.attention, kTileQueries);
  const std::vector<float*> weights = sentence_weights(args);
  const auto weigh_one = HWY_DYNAMIC_DISPATCH(weigh);
  exec.pool->run(static_cast<std::int64_t>(units.size()), [&](std::int64_t index) {
    const AttentionUnit& unit = units[static_cast<std::size_t>(index)];
    weigh_one(args.attention, unit, weights[static_cast<std::size_t>(unit.sentence)]);
  });
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.attention = attention;
  table.attention_weights = attention_weights;
});

}  // namespace

}  // namespace yona::cpu

#endif
