// Attention by random features (Choromanski et al. 2021; performer_args.h) on the CPU: a thread
// takes a sentence and a head of keys (performer_head-inl.h).

#include "yona/backend/cpu/attention_tile.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/performer_attention.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/performer_head-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona::cpu::HWY_NAMESPACE {

void attend_by_features(const PerformerAttentionArgs& args, const float* features,
                        std::int64_t sentence, std::int64_t kv_head) {
  static thread_local PerformerHead unit;
  const AttentionArgs& in = args.attention;
  const PerformerFeatures packed = packed_features(args.features, features);
  for (std::int64_t n = 0; n < in.heads_per_kv; ++n) {
    unit.forward(in, packed, sentence, kv_head * in.heads_per_kv + n);
  }
}

void attend_by_features_backward(const PerformerAttentionBackwardArgs& args, const float* features,
                                 std::int64_t sentence, std::int64_t kv_head) {
  static thread_local PerformerHead unit;
  const AttentionArgs& in = args.attention.forward;
  const PerformerFeatures packed = packed_features(args.features, features);
  for (std::int64_t n = 0; n < in.heads_per_kv; ++n) {
    unit.backward(args.attention, packed, sentence, kv_head * in.heads_per_kv + n,
                  n > 0 || args.attention.accumulate_dk, n > 0 || args.attention.accumulate_dv);
  }
}

}  // namespace yona::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace yona::cpu {

namespace {

HWY_EXPORT(pack_features);
HWY_EXPORT(attend_by_features);
HWY_EXPORT(attend_by_features_backward);

// Calls function(features, sentence, head of keys) for all, on the pool.
template <class Function>
void for_each_kv_head(const AttentionArgs& args, const View& features, Exec& exec,
                      const Function& function) {
  static thread_local Scratch<float> scratch;
  const float* packed = HWY_DYNAMIC_DISPATCH(pack_features)(features, args.scale, scratch);
  const std::int64_t kv_heads = args.heads / args.heads_per_kv;
  exec.pool->run(args.sentences * kv_heads,
                 [&](std::int64_t unit) { function(packed, unit / kv_heads, unit % kv_heads); });
}

void performer_attention(const PerformerAttentionArgs& args, Exec& exec) {
  if (args.attention.q.dtype != DType::f32) {
    reference_kernels().performer_attention.function()(args, exec);
    return;
  }
  const auto attend = HWY_DYNAMIC_DISPATCH(attend_by_features);
  for_each_kv_head(args.attention, args.features, exec,
                   [&](const float* features, std::int64_t sentence, std::int64_t kv_head) {
                     attend(args, features, sentence, kv_head);
                   });
}

void performer_attention_backward(const PerformerAttentionBackwardArgs& given, Exec& exec) {
  if (given.attention.forward.q.dtype != DType::f32) {
    reference_kernels().performer_attention_backward.function()(given, exec);
    return;
  }
  const PerformerAttentionBackwardArgs args{without_aliases(given.attention), given.features};
  const auto attend = HWY_DYNAMIC_DISPATCH(attend_by_features_backward);
  for_each_kv_head(args.attention.forward, args.features, exec,
                   [&](const float* features, std::int64_t sentence, std::int64_t kv_head) {
                     attend(args, features, sentence, kv_head);
                   });
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.performer_attention = performer_attention;
  table.performer_attention_backward = performer_attention_backward;
});

}  // namespace

}  // namespace yona::cpu

#endif
