#include "yona/nn/attention/mechanism.h"

#include "yona/nn/attention/additive.h"
#include "yona/nn/attention/dot_product.h"

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
  }
  fail("attention: unknown kind {}", static_cast<int>(spec.kind));
}

}  // namespace yona
