#include "yona/nn/attention/mechanism.h"

#include "yona/nn/attention/additive.h"
#include "yona/nn/attention/dot_product.h"
#include "yona/nn/attention/lambda.h"
#include "yona/nn/attention/linformer.h"
#include "yona/nn/attention/performer.h"
#include "yona/nn/attention/reformer.h"
#include "yona/nn/attention/sparse.h"

namespace yona {

std::unique_ptr<AttentionMechanism> make_attention(const AttentionSpec& spec,
                                                   const HeadShape& shape) {
  switch (spec.kind) {
    case AttentionKind::scaled:
      return std::make_unique<DotProductAttention>(shape, spec.dropout, ScoreScale::root_of_width);
    case AttentionKind::unscaled:
      return std::make_unique<DotProductAttention>(shape, spec.dropout, ScoreScale::none);
    case AttentionKind::additive:
      return std::make_unique<AdditiveAttention>(shape, spec.dropout);
    case AttentionKind::window:
    case AttentionKind::dilated:
    case AttentionKind::blocks:
    case AttentionKind::sparse:
      return std::make_unique<SparseAttention>(shape, spec);
    case AttentionKind::linformer:
      return std::make_unique<LinformerAttention>(shape, spec);
    case AttentionKind::performer:
      return std::make_unique<PerformerAttention>(shape, spec);
    case AttentionKind::lambda:
      return std::make_unique<LambdaAttention>(shape, spec);
    case AttentionKind::reformer:
      return std::make_unique<ReformerAttention>(shape, spec);
  }
  fail("attention: unknown kind {}", static_cast<int>(spec.kind));
}

}  // namespace yona
