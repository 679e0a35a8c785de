// Scaled dot-product attention on the CPU, forward: see attention_forward-inl.h.

#include "yona/backend/cpu/attention_tile.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/attention.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/attention_forward-inl.h"
#include "yona/backend/cpu/attention_scores-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona::cpu::HWY_NAMESPACE {

void attend(const AttentionArgs& args, const AttentionUnit& unit) {
  static thread_local DotScores scores;
  static thread_local ForwardScratch scratch;
  attend_unit(args, unit, scores, scratch);
}

}  // namespace yona::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace yona::cpu {

namespace {

HWY_EXPORT(attend);

void attention(const AttentionArgs& args, Exec& exec) {
  if (args.q.dtype != DType::f32 || args.weights) {
    reference_kernels().attention.function()(args, exec);
    return;
  }
  const std::vector<AttentionUnit>& units = attention_units(args, kTileQueries);
  const auto attend_one = HWY_DYNAMIC_DISPATCH(attend);
  exec.pool->run(static_cast<std::int64_t>(units.size()), [&](std::int64_t index) {
    attend_one(args, units[static_cast<std::size_t>(index)]);
  });
}

const Registration registration(BackendKind::cpu,
                                [](Kernels& table) { table.attention = attention; });

}  // namespace

}  // namespace yona::cpu

#endif
